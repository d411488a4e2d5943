import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Breach } from '../../../src/core/model/model.ts';
import { noteProgram } from '../../../src/world/agents/run/agent-file.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { sealScene } from './scene.ts';
import type { SealScene } from './scene.ts';

describe('a file of the checkout with the same bytes as the agent’s own', () => {
  it('is the user’s as well as the agent’s: nobody is accused, nothing is moved, and it is noted', async () => {
    const { iterate, dir, git } = await sealScene();
    // The same formatter, the same generator, or the user tries what the agent has made.
    const breach = await iterate('echo same > a.txt; echo lock > lock.json; git add -A; git commit -qm own', () => {
      writeFileSync(join(dir, 'a.txt'), 'same\n');
      writeFileSync(join(dir, 'lock.json'), 'lock\n');
    });
    expect([breach, git('status', '--porcelain')]).toEqual([null, 'M a.txt\n?? lock.json']);
    expect(readFileSync(join(dir, '.ralph/logs/worker-1-one.log'), 'utf8')).toMatch(
      /\(a\.txt, lock\.json\); nothing tells by whom/,
    );
  });

  it('is the agent’s where its words name that very file, not where they name its own', async () => {
    const { iterate, git } = await sealScene();
    const write = 'echo same > a.txt; cp a.txt $MAIN/a.txt';
    expect(await iterate(`${write}; echo "wrote a.txt, and $PWD/a.txt"`)).toBeNull();
    git('checkout', '-q', '--', 'a.txt');
    const breach = await iterate(`${write}; echo "+ cp a.txt $MAIN/a.txt"`);
    expect([breach?.did, breach?.restored]).toEqual([['changed a.txt in the main checkout'], ['a.txt']]);
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('a file of the checkout that agent and user both wrote', () => {
  const LEAK = 'echo leak >> $MAIN/a.txt; echo leak > $MAIN/leak.txt';
  const LEFT = '(left as it is: it may hold changes of yours)';

  /** An agent whose text is the script; what the user does before it writes, and after. */
  function leak(scene: SealScene, first: () => void, last = (): void => {}): Promise<Breach | null> {
    const { iterate, iteration, repo, own } = scene;
    const meanwhile = (): void => {
      noteProgram(runFolder(repo, iteration().loop, iteration().n), ['sh', '-c', LEAK], own);
      last();
    };
    return iterate(LEAK, meanwhile, first);
  }

  const edit =
    ({ dir }: SealScene) =>
    (): void => {
      appendFileSync(join(dir, 'a.txt'), 'of the user\n');
      writeFileSync(join(dir, 'leak.txt'), 'of the user\n');
    };

  it.each(['before', 'during'])(
    'stays as it is where the user had changed it %s the iteration, and is kept',
    async (at) => {
      const scene = await sealScene();
      if (at === 'before') edit(scene)();
      const breach = await leak(scene, at === 'before' ? () => {} : edit(scene));
      expect(breach?.did).toEqual([
        `changed a.txt in the main checkout ${LEFT}`,
        `changed leak.txt in the main checkout ${LEFT}`,
      ]);
      expect([breach?.restored, readFileSync(join(scene.dir, 'a.txt'), 'utf8')]).toEqual([
        [],
        'a\nof the user\nleak\n',
      ]);
      expect(scene.git('show', `${breach?.kept[0]}:checkout/a.txt`)).toBe('a\nof the user\nleak');
      expect(readFileSync(join(scene.dir, 'leak.txt'), 'utf8')).toBe('leak\n');
    },
  );

  it('stays as it is where the user went on with it', async () => {
    const scene = await sealScene();
    const more = (): void => {
      // The agent lives a little longer than its writes.
      for (const name of ['a.txt', 'leak.txt']) appendFileSync(join(scene.dir, name), 'of the user\n');
      writeFileSync(join(runFolder(scene.repo, scene.iteration().loop, scene.iteration().n), 'exit'), '0\n');
    };
    const breach = await leak(scene, () => {}, more);
    expect([breach?.did.length, breach?.restored]).toEqual([2, []]);
    expect(['a.txt', 'leak.txt'].map((name) => readFileSync(join(scene.dir, name), 'utf8'))).toEqual([
      'a\nleak\nof the user\n',
      'leak\nof the user\n',
    ]);
  });

  it('is put back where all of it is the agent’s', async () => {
    const scene = await sealScene();
    const breach = await leak(scene, () => {});
    expect([breach?.restored, scene.git('status', '--porcelain')]).toEqual([
      ['a.txt', 'leak.txt taken out of the main checkout'],
      '',
    ]);
  });

  it('holds nothing of the user’s where git wrote what it knows, and may where it patched', async () => {
    const { iterate, git, dir } = await sealScene();
    const patch = 'echo leak >> a.txt; git diff -U0 > $MAIN/../x.patch; git checkout -q a.txt';
    const apply = 'git -C $MAIN apply --unidiff-zero ../x.patch';
    const patched = await iterate(`${patch}; ${apply}`, undefined, () =>
      appendFileSync(join(dir, 'a.txt'), 'of the user\n'),
    );
    expect([patched?.did, patched?.restored]).toEqual([[`changed a.txt in the main checkout ${LEFT}`], []]);
    git('checkout', '-q', '--', '.');
    const taken = await iterate('echo two > b.txt; git commit -qam b; git -C $MAIN restore --source=ralph/one b.txt');
    expect([taken?.did, taken?.restored]).toEqual([['changed b.txt in the main checkout'], ['b.txt']]);
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loopId, taskId } from '../../../src/core/model/ids.ts';
import { plainEnvironment } from '../scratch.ts';
import { play, sealScene } from './scene.ts';
import type { SealScene } from './scene.ts';

const EXPIRE = 'git reflog expire --expire=now --all; git gc -q --prune=now';

function stash({ git, dir }: SealScene, name: string): void {
  writeFileSync(join(dir, 'b.txt'), `${name}\n`);
  git('stash', 'push', '-q', '-m', name);
}

async function stashScene(): Promise<SealScene> {
  const scene = await sealScene();
  for (const name of ['first', 'second', 'third']) stash(scene, name);
  return scene;
}

const logOf = ({ common }: SealScene): string => readFileSync(join(common, 'logs/refs/stash'), 'utf8');
const namesOf = ({ git }: SealScene): string => git('log', '-g', '--format=%gs', 'refs/stash');
const heldBy = ({ git }: SealScene): string => git('for-each-ref', '--format=%(refname)', 'refs/paralph/stash');

it('what an agent lets expire and collects is put back into the stash, as it was', async () => {
  const scene = await stashScene();
  const before = logOf(scene);
  const breach = await scene.iterate(EXPIRE);
  expect(breach?.did).toEqual(
    ['first', 'second', 'third'].map(
      (name) =>
        expect.stringMatching(new RegExp(`^let the stash entry [0-9a-f]{10} expire .On main: ${name}.$`)) as string,
    ),
  );
  expect([breach?.kept.length, breach?.restored.length, logOf(scene)]).toEqual([3, 3, before]);
  expect(scene.git('stash', 'show', '-p', 'stash@{2}')).toContain('+first');
  expect(heldBy(scene)).toBe('');
});

it('what the user stashes after that stays on top', async () => {
  const scene = await stashScene();
  const breach = await scene.iterate(EXPIRE, () => stash(scene, 'fourth'));
  expect([breach?.restored.length, namesOf(scene)]).toEqual([
    3,
    ['fourth', 'third', 'second', 'first'].map((name) => `On main: ${name}`).join('\n'),
  ]);
});

it('where the stash is another one by now, the command is told that brings an entry back', async () => {
  const scene = await stashScene();
  const breach = await scene.iterate(EXPIRE, () => {
    stash(scene, 'fourth');
    scene.git('stash', 'drop', '-q');
  });
  expect([breach?.restored, breach?.kept.length, scene.git('stash', 'list')]).toEqual([[], 3, '']);
  const command = /back with: (git stash store .*)\)$/.exec(breach?.did[0] ?? '')?.[1] ?? 'false';
  execFileSync('sh', ['-c', command], { cwd: scene.dir, env: plainEnvironment() });
  expect(scene.git('stash', 'show', '-p', 'stash@{0}')).toContain('+first');
});

it('an entry that an agent drops and collects comes back', async () => {
  const scene = await stashScene();
  const breach = await scene.iterate('git stash drop -q stash@{1}; git gc -q --prune=now');
  expect(breach?.did).toEqual(['took a stash entry that was not its own (On main: second)']);
  expect(namesOf(scene)).toBe('On main: second\nOn main: third\nOn main: first');
  expect(scene.git('stash', 'show', '-p', 'stash@{0}')).toContain('+second');
});

it('an entry that the user drops while an agent collects garbage is nobody’s doing, and nothing holds it afterwards', async () => {
  const scene = await stashScene();
  const drop = (): void => void scene.git('stash', 'drop', '-q', 'stash@{1}');
  let held = '';
  const breach = await scene.iterate('git gc -q --prune=now; git reflog expire --all', drop, () => {
    held = heldBy(scene);
    drop();
  });
  expect([breach, held, heldBy(scene), namesOf(scene)]).toEqual([
    null,
    'refs/paralph/stash/one-x-1',
    '',
    'On main: third',
  ]);
});

it('an agent that collects garbage beside one that lets entries expire did nothing', async () => {
  const scene = await stashScene();
  const other = { loop: loopId('two-y'), task: taskId('two'), n: 1, slot: 2, cwd: scene.sibling };
  await scene.seal.take(other, 'ralph/two');
  let beside: unknown;
  const breach = await scene.iterate(EXPIRE, async () => {
    play(scene.repo, other, 'git gc -q --prune=now');
    beside = await scene.seal.check(other, 'ralph/two');
  });
  expect([beside, breach?.restored.length]).toEqual([null, 3]);
});

it('an entry that nothing held is told to be lost, and the stash names nothing that is not there', async () => {
  const scene = await stashScene();
  const hold = 'git update-ref -d refs/paralph/stash/one-x-1';
  const breach = await scene.iterate(`${hold}; ${EXPIRE}`);
  expect([breach?.did[0]?.endsWith('(On main: first; it is lost)'), breach?.restored, logOf(scene)]).toEqual([
    true,
    [],
    '',
  ]);
  expect(breach?.did[2]).toContain('back with: git stash store');
});

it('what a host that died held goes with the next iteration', async () => {
  const scene = await stashScene();
  await scene.seal.take({ ...scene.iteration(), n: 0 }, 'ralph/one');
  expect(heldBy(scene)).toBe('refs/paralph/stash/one-x-0');
  let held = '';
  await scene.iterate('true', undefined, () => void (held = heldBy(scene)));
  expect([held, heldBy(scene)]).toEqual(['refs/paralph/stash/one-x-1', '']);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sealScene } from './seal-scene.ts';

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

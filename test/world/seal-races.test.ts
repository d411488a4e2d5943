import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openView } from '../../src/world/git/view.ts';
import { isLeak } from '../../src/world/seal/is-leak.ts';
import { runFolder } from '../../src/world/state-places.ts';
import { sealScene } from './seal-scene.ts';
import type { SealScene } from './seal-scene.ts';

/** What the user does while the agent runs: git writes down nothing of it. */
const USER = 'env -u GIT_TRACE2_EVENT git -C $MAIN';

const runOf = ({ repo, iteration }: SealScene): string => runFolder(repo, iteration().loop, iteration().n);

describe('who did something is not told by', () => {
  it('the number of a file: a file system gives it again, with git’s second write', async () => {
    const scene = await sealScene();
    const config = join(scene.common, 'config');
    const breach = await scene.iterate(`${USER} config alias.st status; ${USER} config core.editor vi`, () => {
      const seal = join(runOf(scene), 'seal.json');
      const print = JSON.parse(readFileSync(seal, 'utf8')) as { files: Record<string, { ino: number }> };
      const files = { ...print.files, config: { ...print.files['config'], ino: statSync(config).ino } };
      writeFileSync(seal, JSON.stringify({ ...print, files }));
    });
    expect([breach, scene.git('config', 'alias.st'), scene.git('config', 'core.editor')]).toEqual([
      null,
      'status',
      'vi',
    ]);
  });
});

describe('a branch that an agent moved', () => {
  it('is no work of the user’s until it is put back, also if the host died between keeping and that', async () => {
    const scene = await sealScene();
    const { repo, git } = scene;
    const place = { repo, view: await openView(repo) };
    const main = git('rev-parse', 'main');
    const stray = 'git update-ref refs/heads/main $(git commit-tree -p HEAD -m stray HEAD^{tree})';
    await scene.iterate(stray, async () => {
      const breach = { did: ['moved the branch main'], kept: [], restored: [] };
      writeFileSync(join(runOf(scene), 'breach.json'), JSON.stringify({ breach, isDone: false }));
      expect(await isLeak(place, 'refs/heads/main')).toBe(true);
    });
    expect([git('rev-parse', 'main'), await isLeak(place, 'refs/heads/main')]).toEqual([main, false]);
  });
});

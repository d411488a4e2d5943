import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openView } from '../../../src/world/git/run/view.ts';
import { readTrace } from '../../../src/world/git/trace/git-trace.ts';
import { parseReflog } from '../../../src/world/git/trace/reflog.ts';
import { findLeak } from '../../../src/world/seal/is-leak.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { sealScene } from './scene.ts';
import type { SealScene } from './scene.ts';

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
      expect((await findLeak(place, 'refs/heads/main')) !== null).toBe(true);
    });
    expect([git('rev-parse', 'main'), (await findLeak(place, 'refs/heads/main')) !== null]).toEqual([main, false]);
  });
});

it('a branch goes back to where its owner had brought it before the agent moved it, not to where the iteration began', async () => {
  const scene = await sealScene();
  const theirs = join(scene.dir, '.ralph/theirs');
  scene.git('worktree', 'add', '-q', '-b', 'theirs', theirs);
  const user = `env -u GIT_TRACE2_EVENT git -C ${theirs} commit -q --allow-empty`;
  const move = 'git update-ref refs/heads/theirs $(git commit-tree -p HEAD -m stray HEAD^{tree})';
  const breach = await scene.iterate(`${user} -m one; ${user} -m two; ${move}; ${move.replace('stray', 'again')}`);
  expect([breach?.did.length, scene.git('log', '--format=%s', 'theirs')]).toEqual([1, 'two\none\nfirst']);
});

describe('a branch that an agent moved and that was packed since, as `git gc` does it', () => {
  const stray = '$(git commit-tree -p HEAD -m stray HEAD^{tree})';
  const pack = (scene: SealScene) => (): void => void scene.git('pack-refs', '--all');

  it.for([
    ['update-ref', `git update-ref refs/heads/main ${stray}`],
    ['reset', `git checkout -q --ignore-other-worktrees main; git reset -q --soft ${stray}; git checkout -q -`],
  ] as const)('is put back after %s', async ([, script]) => {
    const scene = await sealScene();
    const main = scene.git('rev-parse', 'main');
    const breach = await scene.iterate(script, pack(scene));
    expect([breach?.did.length, scene.git('rev-parse', 'main')]).toEqual([1, main]);
  });

  it('stays where it is the user’s', async () => {
    const scene = await sealScene();
    const script = `git update-ref refs/heads/main HEAD; git update-ref refs/heads/other ${stray}`;
    const breach = await scene.iterate(script, () => {
      scene.git('commit', '-q', '--allow-empty', '-m', 'mine');
      pack(scene)();
    });
    expect([breach, scene.git('log', '-1', '--format=%s', 'main')]).toEqual([null, 'mine']);
  });
});

describe('a stash entry that an agent left', () => {
  /** What git makes of the stash, and whether each entry follows upon the one before it. */
  const stashOf = ({ git, common }: SealScene) => {
    const entries = parseReflog(readFileSync(join(common, 'logs/refs/stash'), 'utf8'));
    const isWhole = entries.every(({ from }, at) => from === (entries[at - 1]?.to ?? '0'.repeat(40)));
    return [git('log', '-g', '--format=%gs', 'refs/stash'), isWhole, git('rev-parse', 'stash') === entries.at(-1)?.to];
  };
  const push = ({ dir, git }: SealScene, name: string): void => {
    writeFileSync(join(dir, 'b.txt'), `${name}\n`);
    git('stash', 'push', '-q', '-m', name);
  };

  it.for([
    ['in between', ['before'], ['after']],
    ['on top', ['before', 'more'], []],
  ] as const)('goes from where it lies, %s, and no other', async ([, before, after]) => {
    const scene = await sealScene();
    for (const name of before) push(scene, name);
    await scene.iterate('echo one > a.txt; git stash -q', () => {
      for (const name of after) push(scene, name);
    });
    const left = [...before, ...after].toReversed().map((name) => `On main: ${name}`);
    expect(stashOf(scene)).toEqual([left.join('\n'), true, true]);
  });

  it('stays while somebody else has the lock on the stash', async () => {
    const scene = await sealScene();
    const breach = await scene.iterate('echo one > a.txt; git stash -q', () => {
      writeFileSync(join(scene.common, 'refs/stash.lock'), '');
    });
    expect([breach?.restored, scene.git('log', '-g', '--format=%gs', 'refs/stash')]).toEqual([
      [],
      expect.stringContaining('WIP on ralph/one'),
    ]);
  });
});

describe('how long a git ran that did not end by itself', () => {
  const traced = async (...events: readonly object[]) => {
    const dir = mkdtempSync(join(tmpdir(), 'paralph-trace-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const begun = [
      { event: 'version', sid: '1', time: '2026-01-01T00:00:00.000000Z' },
      { event: 'start', sid: '1', argv: ['git', 'commit', '-m', 'own'] },
    ];
    writeFileSync(
      join(dir, 'git-trace.jsonl'),
      [...begun, ...events.map((one) => ({ ...one, sid: '1' }))].map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    const [command] = await readTrace(dir);
    return (command?.toMs ?? 0) - (command?.fromMs ?? 0);
  };
  const hook = [
    { event: 'child_start', child_id: 0, child_class: 'hook' },
    { event: 'child_exit', child_id: 0, code: 0, t_rel: 30.5 },
  ];

  it('it says itself where nobody listens to it any more: git commit | head', async () => {
    expect(await traced(...hook, { event: 'signal', t_abs: 30.6, signo: 13 })).toBe(30_600);
  });

  it('is at least as long as its hooks, and a little more', async () => {
    expect([await traced(), await traced(...hook)]).toEqual([2000, 32_500]);
  });
});

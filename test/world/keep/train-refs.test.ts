import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { holdTrain, pin, releaseTrains, unpin } from '../../../src/world/keep/train-refs.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

interface Scene extends ScratchRepo {
  readonly view: GitView;
  /** The same view, counting the processes that are started. */
  readonly counted: GitView & { processes: number };
  readonly commits: readonly [Sha, Sha, Sha];
  refs(below: string): readonly string[];
}

async function scene(): Promise<Scene> {
  const repo = scratchRepo();
  made.push(repo);
  const view = await openView(findRepository(repo.dir));
  const counted = { ...view, processes: 0 };
  counted.run = (...args) => {
    counted.processes += 1;
    return view.run(...args);
  };
  const one = (text: string): Sha => {
    repo.write('a.txt', text);
    return sha(repo.commit(text));
  };
  const refs = (below: string): readonly string[] =>
    repo
      .git('for-each-ref', '--format=%(refname) %(objectname)', below)
      .split('\n')
      .filter((line) => line !== '');
  return { ...repo, view, counted, commits: [one('1'), one('2'), one('3')], refs };
}

describe('holdTrain', () => {
  it('names the commits of one train and lets every other one go, in one process', async () => {
    const { counted, commits, refs } = await scene();
    const [a, b, c] = commits;
    await holdTrain(counted, 7, [a, b]);
    expect(refs('refs/paralph/cand')).toEqual([`refs/paralph/cand/7/0 ${a}`, `refs/paralph/cand/7/1 ${b}`]);
    counted.processes = 0;
    await holdTrain(counted, 9, [c, a, c]);
    expect(refs('refs/paralph/cand')).toEqual([`refs/paralph/cand/9/0 ${c}`, `refs/paralph/cand/9/1 ${a}`]);
    expect(counted.processes).toBe(1);
  });

  it('follows a train that was built again, and does nothing when nothing changed', async () => {
    const { counted, commits, refs } = await scene();
    const [a, b, c] = commits;
    await holdTrain(counted, 7, [a, b, c]);
    await holdTrain(counted, 7, [c]);
    expect(refs('refs/paralph/cand')).toEqual([`refs/paralph/cand/7/0 ${c}`]);
    counted.processes = 0;
    await holdTrain(counted, 7, [c]);
    expect(counted.processes).toBe(0);
  });

  it('holds none of it when one commit cannot be named', async () => {
    const { view, commits, refs } = await scene();
    const [a, b] = commits;
    await holdTrain(view, 7, [a]);
    await expect(holdTrain(view, 8, [b, sha('1'.repeat(40))])).rejects.toMatchObject({ code: 'E_GIT' });
    expect(refs('refs/paralph/cand')).toEqual([`refs/paralph/cand/7/0 ${a}`]);
  });
});

describe('releaseTrains', () => {
  it('lets all go, loose or packed, and leaves integration and branches alone', async () => {
    const { counted, commits, refs, git, dir } = await scene();
    const [a, b] = commits;
    git('update-ref', 'refs/paralph/int/main', a);
    await holdTrain(counted, 7, [a]);
    git('pack-refs', '--all');
    git('update-ref', 'refs/paralph/cand/8/0', b);
    counted.processes = 0;
    await releaseTrains(counted);
    expect(refs('refs/paralph')).toEqual([`refs/paralph/int/main ${a}`]);
    expect(counted.processes).toBe(1);
    await releaseTrains(counted);
    expect(counted.processes).toBe(1);
    // What a dead git left there is no ref.
    mkdirSync(join(dir, '.git/refs/paralph/cand/9'), { recursive: true });
    writeFileSync(join(dir, '.git/refs/paralph/cand/9/0.lock'), '');
    await releaseTrains(counted);
    expect(counted.processes).toBe(1);
    expect(refs('refs/heads')).toHaveLength(1);
  });
});

describe('pin', () => {
  const loop = loopId('login-x1');

  it('names a head once, and costs nothing the second time', async () => {
    const { counted, commits, refs } = await scene();
    const [a, b] = commits;
    await pin(counted, loop, a);
    await pin(counted, loop, b);
    counted.processes = 0;
    await pin(counted, loop, a);
    expect(counted.processes).toBe(0);
    const names = [a, b].map((head) => `refs/paralph/keep/login-x1/${head.slice(0, 12)} ${head}`);
    expect(refs('refs/paralph/keep')).toEqual(names.toSorted());
  });

  it('keeps a head whose branch was deleted and everything else collected', async () => {
    const { view, git, write, commit } = await scene();
    git('switch', '-qc', 'work');
    write('w.txt', 'work');
    const head = sha(commit('work'));
    await pin(view, loop, head);
    git('switch', '-q', 'main');
    git('branch', '-qD', 'work');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    expect(git('show', `${head}:w.txt`)).toBe('work');
  });

  it('finds room beside a ref that is named like its loop', async () => {
    const { view, commits, refs, git } = await scene();
    const [a, b] = commits;
    git('update-ref', 'refs/paralph/keep/login-x1', a);
    await pin(view, loop, b);
    expect(refs('refs/paralph/keep')).toContain(`refs/paralph/keep/login-x1-${b.slice(0, 12)} ${b}`);
    await unpin(view, { loop, head: b, landed: b });
    expect(refs('refs/paralph/keep')).toEqual([`refs/paralph/keep/login-x1 ${a}`]);
  });
});

describe('unpin', () => {
  const loop = loopId('login-x1');

  it('lets go of what landed and of nothing else', async () => {
    const { view, commits, refs, git, write, commit } = await scene();
    const [a, b, landed] = commits;
    git('switch', '-qc', 'stray', a);
    write('stray.txt', 's');
    const stray = sha(commit('stray'));
    for (const head of [a, b, stray]) await pin(view, loop, head);
    await pin(view, loopId('other'), b);
    git('update-ref', 'refs/paralph/keep/login-x1/by-hand', a);
    git('pack-refs', '--all');
    await unpin(view, { loop, head: b, landed });
    const left = refs('refs/paralph/keep').map((line) => line.split(' ')[0]);
    expect(new Set(left)).toEqual(
      new Set([
        `refs/paralph/keep/login-x1/${stray.slice(0, 12)}`,
        'refs/paralph/keep/login-x1/by-hand',
        `refs/paralph/keep/other/${b.slice(0, 12)}`,
      ]),
    );
  });

  it('keeps the head of work that landed in another shape, and drops what that head holds', async () => {
    const { view, commits, refs, git, write, commit } = await scene();
    const [a, , landed] = commits;
    git('switch', '-qc', 'work', a);
    write('w.txt', '1');
    const first = sha(commit('w1'));
    write('w.txt', '2');
    const head = sha(commit('w2'));
    await pin(view, loop, first);
    await unpin(view, { loop, head, landed });
    expect(refs('refs/paralph/keep')).toEqual([`refs/paralph/keep/login-x1/${head.slice(0, 12)} ${head}`]);
  });
});

it('trains come and go past the lock that a killed git left on all packed refs', async () => {
  const { view, commits, refs, git, dir } = await scene();
  git('pack-refs', '--all');
  writeFileSync(join(dir, '.git/packed-refs.lock'), '');
  await holdTrain(view, 7, [commits[0], commits[1]]);
  await holdTrain(view, 9, [commits[2]]);
  expect(refs('refs/paralph/cand')).toEqual([`refs/paralph/cand/9/0 ${commits[2]}`]);
  await releaseTrains(view);
  expect(refs('refs/paralph/cand')).toEqual([]);
});

const LOOKS = 2000;

describe('the refs of trains', () => {
  it('are found beside folders that come and go while they are looked for', async () => {
    const { view, dir, commits } = await scene();
    const folder = join(dir, '.git/refs/paralph/cand');
    await holdTrain(view, 9, [commits[0]]);
    const script = `const { mkdirSync, rmdirSync } = require('node:fs');
      const { parentPort, workerData } = require('node:worker_threads');
      parentPort.postMessage('begun');
      for (;;) { mkdirSync(workerData); rmdirSync(workerData); }`;
    const restless = new Worker(script, { eval: true, workerData: join(folder, '5') });
    onTestFinished(async () => void (await restless.terminate()));
    await once(restless, 'message');
    // Only asked to, so that they stay to be found again.
    const asked = { ...view, times: 0 };
    asked.run = () => Promise.resolve({ code: 0, stdout: '', stderr: String((asked.times += 1)) });
    for (let looks = 0; looks < LOOKS; looks += 1) await releaseTrains(asked);
    // Before the repository goes: what it then fails to make would be an error of its own.
    await restless.terminate();
    expect(asked.times).toBe(LOOKS);
  });
});

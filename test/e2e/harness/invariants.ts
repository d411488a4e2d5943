import { expect } from 'vitest';

import { gitIn, gitSays, landedTasks, refsBelow } from './git.ts';
import { processesOf } from './processes.ts';
import type { Fingerprint } from './fingerprint.ts';
import { differences } from './fingerprint.ts';
import type { Git } from './git.ts';
import type { Scratch } from './scratch.ts';
import { until } from './until.ts';

/** On a machine with other things to do. */
const GONE_MS_MAX = 30_000;

/** What must hold after every test, whatever it did. */
export async function invariants(scratch: Scratch, goneMsMax = GONE_MS_MAX): Promise<void> {
  const git = gitIn(scratch.repo, scratch.env);
  if (!gitSays(git, 'rev-parse', '--git-dir')) return;
  expect(git('fsck', '--no-dangling', '--no-progress'), 'git fsck').toBe('');
  for (const ref of refsBelow(git, 'refs/paralph/int/')) {
    const landed = landedTasks(git, ref);
    const twice = landed.filter(
      (task, at) => landed.indexOf(task) !== at && !scratch.again.has(task) && !isReverted(git, ref, task),
    );
    expect(twice, `each task lands on ${ref} at most once`).toEqual([]);
  }
  expect(refsBelow(git, 'refs/paralph/cand/'), 'candidate refs left over').toEqual([]);
  // A process that was killed may need a moment to leave the process table.
  await until('no process of a loop left', () => loopProcesses(scratch).length === 0, goneMsMax).catch(() => {
    expect(loopProcesses(scratch), 'processes of a loop left over').toEqual([]);
  });
}

/** Its owner took a landing of this task back, so that it may land once more. */
function isReverted(git: Git, ref: string, task: string): boolean {
  const landings = git('log', '--first-parent', '--format=%H', `--grep=^Ralph-Task: ${task}$`, ref).split('\n');
  return landings.some((commit) => git('log', '--format=%H', `--grep=^This reverts commit ${commit}`, ref) !== '');
}

/**
 * The user's checkout is as before, except for what publishing may do: move a branch forward, and with it the files that
 * the landed commits changed, and the boxes of what landed.
 */
export function checkoutKept(git: Git, before: Fingerprint, after: Fingerprint, headBefore: string): void {
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  const published = new Set<string>();
  if (head !== headBefore) {
    expect(gitSays(git, 'merge-base', '--is-ancestor', headBefore, head), 'the branch only moves forward').toBe(true);
    for (const path of git('-c', 'core.quotePath=off', 'diff', '--no-renames', '--name-only', headBefore, head).split(
      '\n',
    ))
      published.add(`file:${path}`);
    for (const path of trackersOf(git, headBefore, head)) published.add(`file:${path}`);
    published.add('git:index');
  }
  const changed = differences(before, after).filter((name) => !published.has(name));
  for (const name of changed.filter((one) => one.startsWith('ref:refs/heads/'))) {
    const [was, is] = [before[name], after[name]];
    expect(was !== undefined && is !== undefined, `${name} neither appears nor vanishes`).toBe(true);
    expect(gitSays(git, 'merge-base', '--is-ancestor', was ?? '', is ?? ''), `${name} only moves forward`).toBe(true);
  }
  expect(
    changed.filter((name) => !name.startsWith('ref:refs/heads/')),
    'the user’s checkout changed',
  ).toEqual([]);
}

const trackersOf = (git: Git, from: string, to: string): readonly string[] =>
  git('log', '--format=%(trailers:key=Ralph-Tracker,valueonly)', `${from}..${to}`).split('\n').filter(Boolean);

function loopProcesses(scratch: Scratch): string[] {
  return processesOf(scratch.root)
    .filter((one) => one.isLoops)
    .map((one) => `${one.pid} ${one.command}`);
}

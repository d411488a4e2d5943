import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '../../../src/core/model/events.ts';
import type { State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE, loopsOf } from '../../../src/core/model/model.ts';
import { fold } from '../../../src/core/fold/fold.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { readLogOnly } from '../../../src/world/log/file-log.ts';
import type { LogRecord } from '../../../src/world/contract/log.ts';
import { logFolder } from '../../../src/world/git/run/state-places.ts';
import { plainEnvironment } from '../../world/scratch.ts';
import type { Fingerprint } from './fingerprint.ts';
import { fingerprint } from './fingerprint.ts';
import { createJudge, isAncestor, wordsOf } from './judge.ts';
import type { Knobs } from './land-host.ts';
import { TRACKER } from './land-host.ts';
import type { Deeds } from './run-git-workload.ts';
import type { Scene } from './scene.ts';

interface Reckoning {
  readonly scene: Scene;
  readonly knobs: Knobs;
  readonly deeds: Deeds;
  readonly before: Fingerprint;
}

interface Found extends Reckoning {
  readonly records: readonly LogRecord<Event>[];
  readonly states: readonly State[];
  readonly state: State;
  readonly main: string;
  readonly isGreen: (commit: string) => boolean;
  readonly fail: (property: string, detail: string) => void;
}

/** Everything that must hold of the repository and the log when nobody works any more. */
export async function checkGit(
  reckoning: Reckoning,
): Promise<{ readonly violations: readonly string[]; readonly met: readonly string[] }> {
  const { repo } = reckoning.scene;
  const records = await readLogOnly<Event>(logFolder(findRepository(repo.dir))).read(0);
  const states = records.reduce((all, record) => [...all, fold(all.at(-1) ?? EMPTY_STATE, record)], [
    EMPTY_STATE,
  ] as State[]);
  const violations: string[] = [];
  const found: Found = {
    ...reckoning,
    records,
    states,
    state: states.at(-1) ?? EMPTY_STATE,
    main: repo.git('rev-parse', 'refs/paralph/int/main'),
    isGreen: createJudge(reckoning.scene),
    fail: (property, detail) => violations.push(`${property}: ${detail}`),
  };
  checkValues(found);
  checkLoops(found);
  checkLandings(found);
  checkJudged(found);
  checkUser(found);
  checkLeftovers(found);
  return { violations, met: metBy(found) };
}

/** P1: every value integration ever took, as far as anybody saw it, is green or the user's own. */
function checkValues({ records, scene, main, isGreen, deeds, fail }: Found): void {
  const values = new Set([main]);
  for (const { events } of records)
    for (const event of events) {
      if (event.type === 'integration-advanced') values.add(event.commit);
      if (event.type === 'integration-moved') values.add(event.head);
      if (event.type === 'train-built') values.add(event.base);
    }
  for (const value of values) {
    if (deeds.users.includes(value) || isGreen(value)) continue;
    if (scene.repo.git('log', '-1', '--format=%P', value).includes(' '))
      fail('P1', `integration was at ${value}, which is red`);
  }
}

/** P2, P3, P8: what landed is there, what did not is not, and the log knows which is which. */
function checkLoops({ scene, state, main, fail }: Found): void {
  const { repo, items } = scene;
  const words = wordsOf(repo, main);
  const told = repo
    .git('log', '--first-parent', '--format=%(trailers:key=Ralph-Loop,valueonly,separator=%x2C)', main)
    .split('\n');
  for (const { loop: id, index, head: first } of items) {
    const loop = state.loops[id];
    const times = told.filter((one) => one === id).length;
    if (loop === undefined || loop.head === null) fail('P3', `${id} is nowhere`);
    else if (loop.phase.at === 'landed') {
      if (times !== 1) fail('P3', `${id} landed ${times} times`);
      if (!isAncestor(repo, loop.head, main)) fail('P2', `${id} landed without its head`);
      if (!words.has(`tok${index}`)) fail('P2', `${id} landed, and its work is not there`);
    } else {
      if (times > 0) fail('P8', `${id} is in integration, and the log says ${loop.phase.at}`);
      else if (isAncestor(repo, loop.head, main)) fail('P3', `${id} did not land, and its head is in integration`);
      if (loop.phase.at !== 'parked' && state.landingTrouble === null) fail('P6', `${id} is left ${loop.phase.at}`);
    }
    if (repo.git('for-each-ref', '--count=1', `--contains=${first}`) === '')
      fail('P2', `no ref holds the head of ${id}`);
  }
}

/** P7, P9 and P11: each landing is what `git merge` makes, of a head that was ready, and touches nothing else. */
function checkLandings({ scene, main, deeds, fail }: Found): void {
  const { repo, items } = scene;
  const heads = new Set<string>(items.map((item) => item.head));
  const lines = repo.git(
    'log',
    '--first-parent',
    '--reverse',
    '--format=%H %P|%(trailers:key=Ralph-Loop,valueonly,separator=%x2C)',
    main,
  );
  const outer = mkdtempSync(join(tmpdir(), 'paralph-replay-'));
  const tree = join(outer, 'tree');
  repo.git('worktree', 'add', '-q', '--detach', tree, main);
  try {
    for (const line of lines.split('\n')) {
      const [shas = '', loop = ''] = line.split('|');
      const [commit = '', first = '', second = ''] = shas.split(' ');
      if (second === '') continue;
      if (loop !== '' && !heads.has(second)) fail('P9', `${commit} lands ${second}, which was never ready`);
      if (!isMergeOf(tree, commit, first, second))
        fail('P7', `${commit} is not what merging ${second} into ${first} makes`);
      const own = repo.git('diff', '--name-only', '--no-renames', `${first}...${second}`).split('\n');
      const brought = repo.git('diff', '--name-only', '--no-renames', first, commit).split('\n');
      const strange = brought.filter((path) => path !== TRACKER && path !== '' && !own.includes(path));
      if (strange.length > 0) fail('P11', `${commit} changes ${strange.join(', ')}`);
    }
  } finally {
    repo.git('worktree', 'remove', '--force', tree);
    rmSync(outer, { recursive: true, force: true });
  }
  for (const stray of deeds.strays)
    if (isAncestor(repo, stray, main)) fail('P9', `${stray} came after its branch was ready, and landed`);
}

function isMergeOf(tree: string, commit: string, first: string, second: string): boolean {
  const run = (...args: string[]): boolean => {
    try {
      execFileSync('git', args, { cwd: tree, env: plainEnvironment(), stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  };
  if (!run('checkout', '-q', '--detach', first)) return false;
  const merged = run('merge', '-q', '--no-ff', '--no-verify', '-m', 'again', second);
  const same = merged && run('diff', '--quiet', 'HEAD', commit, '--', '.', `:!${TRACKER}`);
  if (!merged) run('merge', '--abort');
  return same;
}

/** P5: whoever was put aside as red is red on the base it was judged on, where the gates do not lie. */
function checkJudged({ scene, records, states, isGreen, fail }: Found): void {
  if (scene.flake > 0) return;
  for (const [index, { events }] of records.entries()) {
    const [was, now] = [states[index], states[index + 1]];
    if (was === undefined || now === undefined) continue;
    for (const loop of loopsOf(now)) {
      const before = was.loops[loop.id];
      if (before?.phase.at !== 'ready' || loop.phase.at !== 'parked' || loop.phase.reason !== 'red') continue;
      const moved = events.find((event) => event.type === 'integration-advanced');
      const base = moved?.commit ?? was.landing?.base ?? '';
      const merged = scene.repo.git('merge-tree', '--write-tree', base, loop.head ?? '').split('\n')[0] ?? '';
      if (isGreen(`${merged}^{tree}`) || !isGreen(base)) fail('P5', `${loop.id} was put aside as red on ${base}`);
    }
  }
}

/** P4 and P9: the user's checkout is as it was, but for their own commits and what was published. */
function checkUser({ scene, state, knobs, deeds, before, main, fail }: Found): void {
  const { repo } = scene;
  const after = fingerprint(repo);
  for (const name of ['branch', 'stash', 'config', 'dirty', 'hooks'] as const)
    if (before[name] !== after[name])
      fail('P4', `${name} of the user's checkout: ${before[name]} became ${after[name]}`);
  const head = repo.git('rev-parse', 'main');
  for (const user of deeds.users)
    if (!isAncestor(repo, user, head)) fail('P9', `the user's ${user} is no longer on main`);
  if (knobs.publish === 'manual' && deeds.users.length === 0 && head !== before.head) fail('P4', 'main was moved');
  const hasLanded = Object.keys(state.landed).length > 0;
  if (knobs.publish === 'manual' || !hasLanded || state.landingTrouble !== null || state.publishing.blocked !== null)
    return;
  if (!isAncestor(repo, main, head)) fail('P9', 'what landed was not published');
}

/** P12: no refs of trains, no locks, no worktrees but those of the gates, nothing broken. */
function checkLeftovers({ scene: { repo }, state, fail }: Found): void {
  if (state.landing !== null) fail('P12', 'a landing is left');
  if (Object.keys(state.hosts).length > 0) fail('P12', 'a host is left');
  const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/paralph/cand');
  if (refs !== '') fail('P12', `refs are left: ${refs}`);
  const locks = readdirSync(join(repo.dir, '.git'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.lock'),
  );
  if (locks.length > 0) fail('P12', `locks are left: ${locks.join(', ')}`);
  const trees = repo
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '));
  const odd = trees.slice(1).filter((line) => !/\/gate-\d+$/.test(line));
  if (odd.length > 0) fail('P12', `worktrees are left: ${odd.join(', ')}`);
  repo.git('fsck', '--no-dangling', '--no-progress');
}

/** What happened here, in words: workloads in which nothing happens prove nothing. */
function metBy({ records, state, deeds }: Found): readonly string[] {
  const met = new Set<string>(deeds.strays.length > 0 ? ['moved branch'] : []);
  if (deeds.users.length > 0) met.add('user commit');
  for (const loop of loopsOf(state)) met.add(loop.phase.at === 'parked' ? loop.phase.reason : loop.phase.at);
  for (const { events } of records)
    for (const event of events) {
      if (event.type === 'host-lost') met.add('killed');
      if (event.type !== 'train-built') continue;
      if (event.cars.some((car) => car.loop === null)) met.add('upstream');
      if (event.implied.length > 0) met.add('implied');
      if (event.cars.length > 2) met.add('three aboard');
    }
  return [...met];
}

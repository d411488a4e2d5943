import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Event } from '../../src/core/model/events.ts';
import type { State } from '../../src/core/model/model.ts';
import { EMPTY_STATE, loopsOf } from '../../src/core/model/model.ts';
import { fold } from '../../src/core/fold/fold.ts';
import { findRepository } from '../../src/world/git/run/repository.ts';
import { readLogOnly } from '../../src/world/log/file-log.ts';
import { logFolder } from '../../src/world/git/run/state-places.ts';
import type { Git } from '../e2e/harness/git.ts';
import { gitIn, gitSays, landedTasks, refsBelow } from '../e2e/harness/git.ts';
import { processesOf } from '../e2e/harness/processes.ts';
import { until } from '../e2e/harness/until.ts';
import { plainEnvironment } from '../world/scratch.ts';
import type { Fingerprint } from './fingerprint.ts';
import { changedThings, fingerprint } from './fingerprint.ts';

export interface Checked {
  readonly repo: string;
  /** The command line that starts the program; arguments follow. */
  readonly ralph: readonly string[];
  /** The user's own things before anything happened. */
  readonly before: Fingerprint;
  readonly env?: Readonly<Record<string, string>>;
  /** Commits agents made, from whatever ledger there is. */
  readonly commits?: readonly string[];
  /** A shell line that holds for every commit the target or integration may stand at. */
  readonly truth?: string;
}

interface Look extends Checked {
  readonly git: Git;
  readonly fail: (rule: string, detail: string) => void;
}

const RUN_MS = 120_000;

/** Everything that must hold when no host lives any more and nothing is left to do. What does not, in words. */
export async function checkInvariants(checked: Checked): Promise<readonly string[]> {
  const violations: string[] = [];
  const git = gitIn(checked.repo, plainEnvironment() as Record<string, string>);
  const look: Look = { ...checked, git, fail: (rule, detail) => violations.push(`${rule}: ${detail}`) };
  checkObjects(look);
  checkCommits(look);
  const state = await checkHistory(look);
  checkUser(look);
  await checkProcesses(look);
  checkLeftovers(look, state);
  await checkQuiet(look, state);
  return violations;
}

/** I1: nothing is broken, dangling objects aside. */
function checkObjects({ repo, fail }: Look): void {
  const { status, stdout, stderr } = spawnSync('git', ['fsck', '--full', '--no-dangling', '--no-progress'], {
    cwd: repo,
    env: plainEnvironment(),
    encoding: 'utf8',
  });
  if (status !== 0 || `${stdout}${stderr}`.trim() !== '') fail('I1', `git fsck exits ${status}: ${stdout}${stderr}`);
}

/** I2: what agents committed is on a branch, landed or kept. */
function checkCommits({ git, commits = [], fail }: Look): void {
  const reached = new Set(git('rev-list', '--branches', '--glob=refs/paralph').split('\n'));
  for (const commit of new Set(commits)) if (!reached.has(commit)) fail('I2', `no ref holds the agents' ${commit}`);
}

/** I3, I4, I8: the log is whole, and it and the branches tell the same landings, each of a tested tree, none twice. */
async function checkHistory(look: Look): Promise<State> {
  const { git, repo, fail, truth } = look;
  const records = await readLogOnly<Event>(logFolder(findRepository(repo))).read(0);
  const state = records.reduce(fold, EMPTY_STATE);
  const events = records.flatMap((record) => record.events);
  for (const ref of refsBelow(git, 'refs/paralph/int/')) {
    const landed = landedTasks(git, ref);
    if (new Set(landed).size < landed.length) fail('I3', `landed twice on ${ref}: ${landed.join(', ')}`);
    const told = Object.values(state.landed).length;
    if (told !== landed.length) fail('I4', `${ref} holds ${landed.length} landings, the log ${told}`);
    const target = ref.replace('refs/paralph/int/', 'refs/heads/');
    if (!gitSays(git, 'merge-base', '--is-ancestor', ref, target)) fail('I4', `${target} lacks what landed on ${ref}`);
    for (const one of [ref, target]) if (truth !== undefined && !isTrue(look, one)) fail('I3', `${one} is red`);
  }
  const green = new Set<string>();
  for (const event of events) {
    if (event.type === 'candidate-tested' && event.report.verdict === 'green') green.add(event.tree);
    if (event.type === 'gates-ended' && event.report.verdict === 'green') green.add(event.tested);
    if (event.type !== 'integration-advanced') continue;
    const tree = git('rev-parse', `${event.commit}^{tree}`);
    if (!green.has(tree)) fail('I3', `integration went to ${event.commit}, whose tree no gate had passed`);
  }
  if (Object.keys(state.hosts).length > 0) fail('I9', `hosts are left: ${Object.keys(state.hosts).join(', ')}`);
  if (state.landing !== null) fail('I9', 'a landing is left');
  return state;
}

function isTrue({ repo, truth = 'true' }: Look, ref: string): boolean {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-value-'));
  const act = `git archive '${ref}' | tar -x -C '${folder}' && cd '${folder}' && ( ${truth} )`;
  const { status } = spawnSync('sh', ['-c', act], { cwd: repo, env: plainEnvironment() });
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}

/** I5: what is the user's is as it was; branches that work landed for have only gone forward. */
function checkUser({ repo, git, before, fail }: Look): void {
  const targets = refsBelow(git, 'refs/paralph/int/').map((ref) => ref.replace('paralph/int', 'heads'));
  for (const { name, text, was, is } of changedThings(before, fingerprint(repo)))
    if (!targets.includes(name) || !gitSays(git, 'merge-base', '--is-ancestor', was ?? '', is ?? '')) fail('I5', text);
  if (!gitSays(git, 'merge-base', '--is-ancestor', before.head, 'HEAD')) fail('I5', 'HEAD went back');
}

/** I6: no process of a loop, which may need a moment to leave the process table. */
async function checkProcesses({ repo, fail }: Look): Promise<void> {
  const left = (): readonly string[] =>
    processesOf(repo)
      .filter((one) => one.isLoops)
      .map((one) => `${one.pid} ${one.command}`);
  await until('no process of a loop left', () => left().length === 0, 30_000).catch(() => undefined);
  if (left().length > 0) fail('I6', `processes are left: ${left().join('; ')}`);
}

/** I7: no lock, no note of something half-made, no train, and no worktree that nothing knows of. */
function checkLeftovers({ repo, git, fail }: Look, state: State): void {
  const common = join(repo, '.git');
  const files = readdirSync(common, { recursive: true, encoding: 'utf8' });
  // Below tmp each has a name that nobody takes again; what a killed process left there goes when it is an hour old.
  const isUnwritten = (path: string): boolean => /\.tmp-[^/]+$/.test(path) && statSync(join(common, path)).size === 0;
  // And one that was begun and never written goes with the next look ten seconds later.
  const standing = files.filter((path) => !path.startsWith('paralph/tmp/') && !isUnwritten(path));
  const locks = standing.filter((path) => path.endsWith('.lock') || /^paralph\/locks\/(?!.*\.turn$)./.test(path));
  if (locks.length > 0) fail('I7', `locks are left: ${locks.join(', ')}`);
  const notes = files.filter((path) => /^paralph\/(half-made\/.|pool\/.*claimed$|publish\.json)/.test(path));
  if (notes.length > 0) fail('I7', `left half-done: ${notes.join(', ')}`);
  const trains = refsBelow(git, 'refs/paralph/cand/');
  if (trains.length > 0) fail('I7', `trains are left: ${trains.join(', ')}`);
  const known = new Set([...loopsOf(state).flatMap((loop) => loop.worktree ?? []), ...pooled(common)]);
  // A loop that is parked may not know its folder, but it tells its branch.
  const parked = new Set(loopsOf(state).flatMap((loop) => (loop.phase.at === 'parked' ? [loop.branch] : [])));
  for (const { path, branch } of ourWorktrees(common)) {
    if (known.has(path) || parked.has(branch) || /^gate-\d+$/.test(basename(path))) continue;
    fail('I7', `nothing knows of the worktree ${path} on ${branch}`);
  }
  const root = join(repo, '.ralph/worktrees');
  const registered = new Set(ourWorktrees(common).map(({ path }) => path));
  for (const name of existsSync(root) ? readdirSync(root) : [])
    if (!name.startsWith('.') && !registered.has(join(root, name))) fail('I7', `${join(root, name)} is no worktree`);
}

function pooled(common: string): readonly string[] {
  const folder = join(common, 'paralph/pool');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { path: string }).path);
}

function ourWorktrees(common: string): readonly { readonly path: string; readonly branch: string }[] {
  const folder = join(common, 'worktrees');
  const admins = (existsSync(folder) ? readdirSync(folder) : []).map((name) => join(folder, name));
  const read = (admin: string, name: string): string =>
    existsSync(join(admin, name)) ? readFileSync(join(admin, name), 'utf8').trim() : '';
  return admins
    .filter((admin) => read(admin, 'locked').startsWith('paralph'))
    .map((admin) => ({
      path: read(admin, 'gitdir').replace(/\/\.git$/, ''),
      branch: read(admin, 'HEAD').replace('ref: refs/heads/', ''),
    }));
}

/** I10: another run finds nothing to do. */
async function checkQuiet({ repo, ralph, env, git, fail }: Look, before: State): Promise<void> {
  const [program = '', ...args] = ralph;
  const refs = (): string => git('for-each-ref', '--format=%(refname) %(objectname)');
  const was = refs();
  const ran = spawnSync(program, [...args, 'run', '--parallel'], {
    cwd: repo,
    env: env ?? process.env,
    encoding: 'utf8',
    timeout: RUN_MS,
  });
  if (ran.status === null) return fail('I10', `another run does not end: ${ran.stderr.slice(-500)}`);
  const records = await readLogOnly<Event>(logFolder(findRepository(repo))).read(before.seq);
  const events = records.flatMap((record) => record.events);
  // What a person's command kept is on the log's list from the next host on; what is put back, or lost, is a deed.
  const isListing = (event: Event): boolean =>
    event.type === 'keeps-changed' && event.putBack.length === 0 && event.lost.length === 0;
  // The last publish ticked the tracker, and what was foreseen has happened: news to whoever comes next.
  const deeds = events
    .filter((event) => !isListing(event))
    .map(({ type }) => type)
    .filter((type) => !['host-joined', 'host-left', 'tasks-read', 'conflicts-foreseen'].includes(type));
  if (deeds.length > 0) fail('I10', `another run finds something to do: ${deeds.join(', ')}`);
  if (refs() !== was) fail('I10', 'another run moves refs');
}

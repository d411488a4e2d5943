import { join } from 'node:path';
import { shellWord } from '../../core/model/shell-word.ts';
import { readJsonFile } from '../os/files.ts';
import { deleteRef } from '../git/refs/refs.ts';
import { dropStash, presentIn } from './hold-stash.ts';
import { isDuring, isDuringSecond, readTrace } from '../git/trace/git-trace.ts';
import { BREACH } from './is-leak.ts';
import { runsBeside } from './other-runs.ts';
import { parseReflog, readReflog } from '../git/trace/reflog.ts';
import { gitDirsOf, headsOf, short, writtenMs } from './scene.ts';
import {
  hasExpired,
  makeStashWhole,
  rewrites,
  wholeStash,
  findTakings,
  hasPut,
  pushes,
  takes,
  verbOf,
} from './stash-order.ts';
import type { Breach } from '../../core/model/model.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';
import type { Finding, Scene } from './scene.ts';
import type { StashStep } from './stash-order.ts';

const STASH = 'refs/stash';
/** What is said of the entries that we ourselves drop and put back. */
const [DROPPED, PUT_BACK] = ['the stash without its entry', 'the stash entry'];

const isStash = ({ name }: GitCommand): boolean => name === 'stash';

/** All worktrees share one stash: what an agent left there, and what it took. */
export async function findStash(scene: Scene): Promise<readonly Finding[]> {
  const commands = scene.trace.filter(isStash);
  const isExpired = hasExpired(scene);
  if (commands.length === 0 && !isExpired) return [];
  const before = parseReflog(scene.before.stash);
  const after = parseReflog(scene.after.stash);
  const added = difference(after, before).filter((entry) => isItsOwn(scene, commands, entry));
  const removed = isExpired || tookOthers(scene, commands) ? difference(before, after) : [];
  const left: Finding[] = added.map((entry) => ({
    did: `left a stash entry (${entry.message})`,
    keep: [{ commit: entry.to }],
    restore: () => dropEntry(scene, entry),
  }));
  const gone = isExpired ? await findExpired(scene, removed) : findTaken(scene, removed);
  return [...left, ...gone, ...(await findSwapped(scene, commands))];
}

/** Pushed last, it comes to lie on top: so the oldest goes first. */
const findTaken = (scene: Scene, entries: readonly ReflogEntry[]): readonly Finding[] =>
  entries.map((entry) => ({
    did: `took a stash entry that was not its own (${entry.message})`,
    keep: [{ commit: entry.to }],
    restore: () => putEntryBack(scene, entry),
  }));

/** They go back to where they were; or whoever owns the stash says where, for it is another one by now. */
async function findExpired({ place, before }: Scene, entries: readonly ReflogEntry[]): Promise<readonly Finding[]> {
  const { commonDir } = place.repo;
  const commits = entries.map(({ to }) => to);
  const present = new Set((await presentIn(place.view, commits)).map(({ commit }) => commit));
  const isSafe = commits.every((commit) => present.has(commit)) && wholeStash(commonDir, before.stash) !== null;
  return entries.map(({ to, message }) => {
    const command = `git stash store -m ${shellWord(message)} ${short(to)}`;
    const then = isSafe ? '' : present.has(to) ? `; back with: ${command}` : '; it is lost';
    return {
      did: `let the stash entry ${short(to)} expire (${message}${then})`,
      keep: [{ commit: to }],
      restore: isSafe ? async () => (makeStashWhole(commonDir, before.stash) ? saidBack(to, message) : null) : null,
    };
  });
}

/** What it got of another loop, and another loop of it, while both were at work: by now it is in the files of that one. */
async function findSwapped(scene: Scene, commands: readonly GitCommand[]): Promise<readonly Finding[]> {
  if (commands.length === 0) return [];
  const { before, after, iteration } = scene;
  const steps: StashStep[] = commands.map((command) => ({ loop: iteration.loop, command }));
  let byUs = 0;
  for (const { loop, dir } of runsBeside(scene.place.repo, iteration, before.atMs, after.atMs)) {
    steps.push(...(await readTrace(dir)).filter(isStash).map((command) => ({ loop, command })));
    const { breach } = (readJsonFile(join(dir, BREACH)) ?? {}) as { breach?: Breach | null };
    for (const line of breach?.restored ?? [])
      byUs += line.startsWith(PUT_BACK) ? 1 : line.startsWith(DROPPED) ? -1 : 0;
  }
  const within = steps.filter(({ command: { fromMs, toMs } }) => fromMs >= before.atMs && toMs <= after.atMs);
  const height = (text: string): number => parseReflog(text).length;
  const takings = findTakings(within, height(before.stash), height(after.stash) - byUs);
  const said = takings.flatMap(({ by, from }) => [
    ...(by === iteration.loop ? [`took a stash entry of the loop ${from}`] : []),
    ...(from === iteration.loop ? [`left a stash entry that the loop ${by} took`] : []),
  ]);
  return said.map((did) => ({ did, keep: [], restore: null }));
}

const keyOf = ({ to, atSeconds, message }: ReflogEntry): string => `${to} ${atSeconds} ${message}`;

function difference(from: readonly ReflogEntry[], without: readonly ReflogEntry[]): readonly ReflogEntry[] {
  const known = new Set(without.map(keyOf));
  return from.filter((entry) => !known.has(keyOf(entry)));
}

/** An entry names the branch it was made on, and an agent's branch is nobody else's. */
function isItsOwn(scene: Scene, commands: readonly GitCommand[], entry: ReflogEntry): boolean {
  const on = /^(?:WIP on|On) (.+?):/.exec(entry.message)?.[1];
  return commands.some((command) => {
    if (!pushes(command) || !isDuringSecond(command, entry.atSeconds)) return false;
    return (
      on === undefined ||
      on === scene.branch ||
      gitDirsOf(scene, command).some((dir) => headsOf(scene, dir).has(`refs/heads/${on}`))
    );
  });
}

/** It took more than it had put there itself, and was the last to change the stash. */
function tookOthers(scene: Scene, commands: readonly GitCommand[]): boolean {
  const put = commands.filter(hasPut).length;
  const taken = commands.filter((one) => one.code === 0 && takes(one));
  if (taken.length <= put && !taken.some((one) => verbOf(one) === 'clear')) return false;
  const atMs = writtenMs(join(scene.place.repo.commonDir, 'logs', STASH));
  return atMs === null || [...taken, ...scene.trace.filter(rewrites)].some((one) => isDuring(one, atMs));
}

async function dropEntry(scene: Scene, entry: ReflogEntry): Promise<string | null> {
  const { view, repo } = scene.place;
  if (!dropStash(repo.commonDir, entry)) return null;
  if (readReflog(repo.commonDir, STASH).length === 0) await deleteRef(view, STASH, entry.to);
  return `${DROPPED} ${short(entry.to)}`;
}

/** As `git stash store`: on top, for nobody knows what the others have put there since. */
async function putEntryBack(scene: Scene, entry: ReflogEntry): Promise<string | null> {
  const { view, repo } = scene.place;
  const top = readReflog(repo.commonDir, STASH).at(-1)?.to ?? null;
  const args = [
    'update-ref',
    '--create-reflog',
    '-m',
    entry.message,
    STASH,
    entry.to,
    top ?? '0'.repeat(entry.to.length),
  ];
  const { code } = await view.run(args, { ok: [0, 1, 128] });
  return code === 0 ? saidBack(entry.to, entry.message) : null;
}

const saidBack = (commit: string, message: string): string => `${PUT_BACK} ${short(commit)} (${message})`;

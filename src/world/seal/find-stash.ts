import { join } from 'node:path';
import { deleteRef } from '../git/refs.ts';
import { isDuring, isDuringSecond } from './git-trace.ts';
import type { GitCommand } from './git-trace.ts';
import { parseReflog, readReflog } from './reflog.ts';
import type { ReflogEntry } from './reflog.ts';
import { gitDirsOf, headsOf, short, writtenMs } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

const STASH = 'refs/stash';
const TAKES = new Set(['pop', 'drop', 'clear']);
const LEAVES_ALONE = new Set(['list', 'show', 'apply', 'create', 'branch']);

/** All worktrees share one stash: what an agent left there, and what it took. */
export function findStash(scene: Scene): readonly Finding[] {
  const commands = scene.trace.filter(({ name }) => name === 'stash');
  if (commands.length === 0) return [];
  const before = parseReflog(scene.before.stash);
  const after = parseReflog(scene.after.stash);
  const added = difference(after, before).filter((entry) => isItsOwn(scene, commands, entry));
  const removed = tookOthers(scene, commands) ? difference(before, after) : [];
  const findings: Finding[] = added.map((entry) => ({
    did: `left a stash entry (${entry.message})`,
    keep: [{ commit: entry.to }],
    restore: () => dropEntry(scene, entry),
  }));
  // Pushed last, it comes to lie on top: so the oldest goes first.
  for (const entry of removed)
    findings.push({
      did: `took a stash entry that was not its own (${entry.message})`,
      keep: [{ commit: entry.to }],
      restore: () => putEntryBack(scene, entry),
    });
  return findings;
}

const keyOf = ({ to, atSeconds, message }: ReflogEntry): string => `${to} ${atSeconds} ${message}`;

function difference(from: readonly ReflogEntry[], without: readonly ReflogEntry[]): readonly ReflogEntry[] {
  const known = new Set(without.map(keyOf));
  return from.filter((entry) => !known.has(keyOf(entry)));
}

const verbOf = ({ args }: GitCommand): string => (args[0] === undefined || args[0].startsWith('-') ? 'push' : args[0]);
const pushes = (command: GitCommand): boolean => !TAKES.has(verbOf(command)) && !LEAVES_ALONE.has(verbOf(command));

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
  const worked = commands.filter(({ code }) => code === 0);
  // A push that found nothing to save starts no other command.
  const put = worked.filter((one) => pushes(one) && (one.hasChildren || verbOf(one) === 'store')).length;
  const taken = worked.filter((one) => TAKES.has(verbOf(one)));
  if (taken.length <= put && !taken.some((one) => verbOf(one) === 'clear')) return false;
  const atMs = writtenMs(join(scene.place.repo.commonDir, 'logs', STASH));
  return atMs === null || taken.some((one) => isDuring(one, atMs));
}

/** As `git stash drop`, of exactly this entry wherever it lies now. */
async function dropEntry(scene: Scene, entry: ReflogEntry): Promise<string | null> {
  const { view, repo } = scene.place;
  const entries = readReflog(repo.commonDir, STASH);
  const at = entries.findLastIndex((one) => keyOf(one) === keyOf(entry));
  if (at === -1) return null;
  const selector = `${STASH}@{${entries.length - 1 - at}}`;
  const { code } = await view.run(['reflog', 'delete', '--updateref', '--rewrite', selector], { ok: [0, 1, 128, 255] });
  if (code !== 0) return null;
  if (readReflog(repo.commonDir, STASH).length === 0) await deleteRef(view, STASH, entry.to);
  return `the stash without its entry ${short(entry.to)}`;
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
  return code === 0 ? `the stash entry ${short(entry.to)} (${entry.message})` : null;
}

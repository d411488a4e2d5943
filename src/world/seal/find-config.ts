import { join, basename } from 'node:path';
import { inertValue } from '../git/run/executing-settings.ts';
import { changedKeys, isDangerous, mayWriteKey, readKeys, setsKey, writesConfig, isSameFile } from './git-files.ts';
import { isDuring, mayHaveWorked } from '../git/trace/git-trace.ts';
import { putBackFile, putBackKeys } from './restore-checkout.ts';
import type { ConfigKeys, GitFile } from './git-files.ts';
import type { Finding, Scene } from './scene.ts';

const CONFIG = /^(?:worktrees\/[^/]+\/)?config(?:\.worktree)?$/;
/** With these wrong, the user's checkout cannot be used at all. */
const CRIPPLING = new Set(['core.bare', 'core.worktree']);
const KEYS_SHOWN = 6;

/** Settings that the agent wrote for everybody. */
export async function findConfig(scene: Scene): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const names = new Set([...Object.keys(scene.before.files), ...Object.keys(scene.after.files)]);
  for (const name of [...names].filter((one) => CONFIG.test(one))) {
    const [before, after] = [scene.before.files[name], scene.after.files[name]];
    if (isSameFile(before, after)) continue;
    findings.push(...(await judge(scene, name, before, after)));
  }
  return findings;
}

async function judge(
  scene: Scene,
  name: string,
  before: GitFile | undefined,
  after: GitFile | undefined,
): Promise<readonly Finding[]> {
  const { commonDir } = scene.place.repo;
  const bytesOf = (file: GitFile | undefined): Buffer => Buffer.from(file?.copy ?? '', 'base64');
  const [old, now] = [await readKeys(commonDir, bytesOf(before)), await readKeys(commonDir, bytesOf(after))];
  const all = changedKeys(old, now);
  const changed = all.filter((key) => !isFree(scene, name, key));
  const theirs = changed.filter((key) => isTheirs(scene, { key, name, before, after, now }));
  // Nobody sets these by hand in a repository that is in use: a `git init` with the wrong GIT_DIR does.
  const crippled = changed.filter((key) => CRIPPLING.has(key) && !isHarmless(key, now));
  const undo = [...new Set([...theirs, ...crippled])];
  if (undo.length === 0) return [];
  const file = `.git/${name}`;
  const did = `changed ${file} (${shown(undo)})`;
  const keep = after === undefined ? [] : [{ path: `git/${name}`, bytes: bytesOf(after), isExecutable: false }];
  const restore = async (): Promise<string | null> => {
    const isWhole = undo.length === all.length;
    const isBack = isWhole
      ? putBackFile(join(commonDir, name), before, after)
      : await putBackKeys(join(commonDir, name), after, undo, old);
    return isBack ? (isWhole ? file : `${shown(undo)} in ${file}`) : null;
  };
  const isHooks = undo.every((key) => isOfHook(scene, key, after, now));
  return [{ did, keep, restore, isHooks }];
}

/** A `git init` of a hook, or what it set in what it took for a new repository. Nothing of that makes git run anything. */
function isOfHook({ trace }: Scene, key: string, after: GitFile | undefined, now: ConfigKeys): boolean {
  const sets = trace.filter((command) => setsKey(command, key, now.get(key) ?? []));
  if (sets.length > 0) return !isDangerous(key) && sets.every(({ isInHook }) => isInHook);
  const laid = trace.filter((one) => one.name === 'init' && mayWriteKey(one, key) && mayHaveWorked(one));
  const isWritten = after !== undefined && trace.some((one) => one.isInHook && isDuring(one, after.mtimeMs));
  return isWritten && laid.length > 0 && laid.every(({ isInHook }) => isInHook);
}

const shown = (keys: readonly string[]): string =>
  keys.length > KEYS_SHOWN
    ? `${keys.slice(0, KEYS_SHOWN).join(', ')} and ${keys.length - KEYS_SHOWN} more`
    : keys.join(', ');

const isHarmless = (key: string, now: ConfigKeys): boolean => {
  const values = now.get(key) ?? [];
  return key === 'core.bare' ? values.at(-1) !== 'true' : values.length === 0;
};

/** Where its own branch, or one it made up, goes to is an agent's own business, and so is how a worktree of its own is laid out. */
function isFree({ branch, before }: Scene, name: string, key: string): boolean {
  if (name.startsWith('worktrees/') && inertValue(key) === null && !/^include(?:if\..+)?\.path$/s.test(key))
    return true;
  const own = /^branch\.(.+)\.[^.]+$/.exec(key)?.[1];
  return own !== undefined && (own === branch || before.refs[`refs/heads/${own}`] === undefined);
}

interface Changed {
  readonly key: string;
  readonly name: string;
  readonly before: GitFile | undefined;
  readonly after: GitFile | undefined;
  readonly now: ConfigKeys;
}

function isTheirs(scene: Scene, { key, name, before, after, now }: Changed): boolean {
  if (scene.trace.some((command) => setsKey(command, key, now.get(key) ?? []))) return true;
  if (after === undefined) return false;
  const last = scene.trace.find((command) => writesConfig(command) && isDuring(command, after.mtimeMs));
  if (last !== undefined && mayWriteKey(last, key)) return true;
  const file = join(scene.place.repo.commonDir, name);
  if (scene.programmed(file)) return true;
  if (!isDangerous(key) || after.mtimeMs < scene.fromMs || after.mtimeMs > scene.toMs) return false;
  if (scene.told([file, `-common-dir)/${name}`, `.git/${name}`])) return true;
  // git itself never writes in place, so this was no `git config` of the user's.
  const isInPlace = before?.ino === after.ino && before.birthMs === after.birthMs;
  return isInPlace && scene.isAlone(after.mtimeMs);
}

/** Hooks, and the files in `info/`, that the agent wrote for everybody. The config has a judge of its own. */
export function findGitFiles(scene: Scene): readonly Finding[] {
  const { before, after, place } = scene;
  const names = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [...names].flatMap((name) => {
    const [old, now] = [before.files[name], after.files[name]];
    if (name.startsWith('config') || isSameFile(old, now)) return [];
    const file = join(place.repo.commonDir, name);
    const isTold = scene.told([file, `/${name}`]) || scene.programmed(file);
    if (!isTold && !isSuspect(scene, name, now)) return [];
    const verb = now === undefined ? 'removed' : old === undefined ? 'made' : 'changed';
    const isRun = now !== undefined && isExecutable(now);
    const keep =
      now?.copy == null ? [] : [{ path: `git/${name}`, bytes: Buffer.from(now.copy, 'base64'), isExecutable: isRun }];
    const restore = (): Promise<string | null> => Promise.resolve(putBackFile(file, old, now) ? `.git/${name}` : null);
    // A person may have done it, while only one agent was at work: they are told, and nothing of theirs is undone.
    const did = isTold
      ? `${verb} .git/${name}`
      : `${verb} .git/${name}, unless you did: no other loop was at work then`;
    return [{ did, keep, restore: isTold ? restore : null }];
  });
}

const isExecutable = ({ mode }: GitFile): boolean => (mode & 0o111) !== 0;

/** Git would run it, or run other things by it; and there is only one of ours who could have written it. */
function isSuspect(scene: Scene, name: string, now: GitFile | undefined): boolean {
  if (now === undefined || now.mtimeMs < scene.fromMs || now.mtimeMs > scene.toMs) return false;
  const isHook = name.startsWith('hooks/') && isExecutable(now) && /^[a-z0-9-]+$/.test(basename(name));
  return (isHook || name === 'info/attributes' || name === 'info/grafts') && scene.isAlone(now.mtimeMs);
}

import { rmSync, statSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Finding } from '../contract/finding.ts';
import { outlastGit } from '../git/run/dead-lock.ts';
import { gitDirs, worktreeOf } from '../git/files/worktree-admin.ts';
import { filesBelow, ifThere, namesIfThere } from '../os/read-if-there.ts';
import { markedIn } from '../processes/leftover-agents.ts';
import { ourBranches, saysOurs } from './ours.ts';
import { fixable, foreign } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';
import { localTime } from '../os/clock.ts';
import { sentence, wakes } from '../processes/mutex-waits.ts';
import { isStopped } from '../processes/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { ProcessIdentity } from '../processes/identity.ts';

const CHECK = 'locks';
/** We make locks on refs ourselves, for as long as it takes to delete a file. */
const YOUNG_MS = 1000;
const LOOK_AGAIN_MS = 50;
const GIT_ENDS_MS = 2000;

interface Lock {
  readonly path: string;
  /** Where whoever holds it would be working. */
  readonly folder: string;
  /** The worktree it belongs to; null: a ref's. */
  readonly worktree: string | null;
}

/** Lock files that a killed git left. Ours go when nobody can hold them any more; the user's own are only named. */
export function gitLocksRepair(place: RepairPlace): Repair {
  return {
    check: CHECK,
    look: async () => [
      ...ourLocks(place).map(({ path }) => fixable(CHECK, `${path}: a git command of paralph runs, or one was killed`)),
      ...foreignLocks(place),
      ...suspendedHolders(CHECK, place.repo),
    ],
    fix: async () => {
      const done: string[] = [];
      for (const lock of ourLocks(place)) if (await isStale(place, lock)) done.push(remove(lock));
      return done;
    },
  };
}

function remove({ path }: Lock): string {
  rmSync(path, { force: true });
  return `removed the stale lock ${path}`;
}

function ourLocks(place: RepairPlace): readonly Lock[] {
  const { repo } = place;
  const folder = repo.commonDir;
  const refs = locksBelow(join(folder, 'refs/paralph'));
  const branches = [...ourBranches(place)].map((branch) => join(folder, 'refs/heads', `${branch}.lock`)).filter(isFile);
  const ofWorktrees = gitDirs(repo)
    .filter((dir) => dir !== folder && saysOurs(dir))
    .flatMap((dir) => {
      const worktree = worktreeOf(dir);
      return worktree === null ? [] : locksIn(dir).map((path) => ({ path, folder: worktree, worktree }));
    });
  return [...[...refs, ...branches].map((path) => ({ path, folder, worktree: null })), ...ofWorktrees];
}

/** Whoever made it is dead: no git works there, and no agent, which may have a git of its own kind inside. */
async function isStale({ repo }: RepairPlace, { path, folder, worktree }: Lock): Promise<boolean> {
  const first = markOf(path);
  while (ageOf(path) < YOUNG_MS) {
    await sleep(LOOK_AGAIN_MS);
    // Hosts beside us lock and unlock all the time.
    if (markOf(path) !== first) return false;
  }
  if (worktree !== null && markedIn(worktree).length > 0) return false;
  const sought = worktree === null ? { folder: repo.root, mentions: repo.commonDir } : { folder, mentions: worktree };
  return (await outlastGit(sought, GIT_ENDS_MS)).length === 0 && first !== null && markOf(path) === first;
}

/** The very file, not another lock of that name. */
function markOf(path: string): string | null {
  const stat = ifThere(() => statSync(path, { throwIfNoEntry: false }));
  return stat === undefined ? null : `${stat.ino} ${stat.mtimeMs}`;
}

/** A clock that was set back makes nothing young for ever. */
const ageOf = (path: string): number => {
  const age = Date.now() - (ifThere(() => statSync(path, { throwIfNoEntry: false }))?.mtimeMs ?? 0);
  return age < 0 ? Infinity : age;
};

function foreignLocks(place: RepairPlace): readonly Finding[] {
  const { repo } = place;
  const ours = new Set(ourLocks(place).map(({ path }) => path));
  const found = [...locksIn(repo.commonDir), ...locksBelow(join(repo.commonDir, 'refs/heads'))];
  return found
    .filter((path) => !ours.has(path))
    .map((path) => {
      const stat = ifThere(() => statSync(path, { throwIfNoEntry: false }));
      const since = stat == null ? 'just now' : localTime(stat.mtimeMs);
      const waits = path.endsWith('/index.lock') ? '; publishing waits for it' : '';
      return foreign(
        CHECK,
        'warn',
        `${path}, not made by paralph, is there since ${since}: a git command runs, or one was killed${waits}`,
        `rm ${shellWord(path)}  # only if no git command runs`,
      );
    });
}

const locksIn = (folder: string): readonly string[] =>
  namesIfThere(folder)
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name))
    .filter(isFile);

const locksBelow = (folder: string): readonly string[] => filesBelow(folder).filter((file) => file.endsWith('.lock'));

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
};

/** Mutexes of ours whose holders are suspended: everybody who needs one waits, and only a person can wake its holder. */
function suspendedHolders(check: string, repo: Repository): readonly Finding[] {
  const folder = join(repo.stateDir, 'locks');
  return namesIfThere(folder)
    .filter((name) => !name.includes('.tmp-'))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const holder = holderOf(path);
      if (holder === null || !isStopped(holder)) return [];
      return [foreign(check, 'warn', `${sentence(path, holder, true)}; others wait for it`, wakes(holder))];
    });
}

/** Null: no mutex of ours, or one that cannot be read. */
export function holderOf(path: string): ProcessIdentity | null {
  try {
    const { pid, startTime, bootId } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProcessIdentity>;
    const isOne = typeof pid === 'number' && typeof startTime === 'string' && typeof bootId === 'string';
    return isOne ? { pid, startTime, bootId } : null;
  } catch {
    return null;
  }
}

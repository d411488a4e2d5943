import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { gitIn } from '../e2e/harness/git.ts';
import type { Git } from '../e2e/harness/git.ts';
import { processesOf } from '../e2e/harness/processes.ts';
import type { Random } from '../sim/model/random.ts';
import { USER_MARK } from './place.ts';
import type { OwnThings } from './own-things.ts';
import { ownThings } from './own-things.ts';
import type { Scene } from './scene.ts';

/** A person who works in the same repository meanwhile and has things of their own there. */
export interface User {
  /** Does one thing, chosen by chance; where that is not allowed now, something else. */
  readonly act: (random: Random, allowed?: readonly UserAct[] | null) => Promise<UserAct>;
  readonly does: (act: UserAct, random: Random) => Promise<void>;
  readonly worktree: string;
  /** What was theirs when they last looked. */
  readonly own: () => OwnThings;
  /** Files in the checkout as the user left them. */
  readonly files: ReadonlyMap<string, string>;
  readonly staged: ReadonlyMap<string, string>;
  /** Commits of theirs that they did not amend away. */
  readonly commits: ReadonlySet<string>;
  /** Tasks they added. */
  readonly added: readonly string[];
  /** They find one of their files changed, and are content with that. */
  readonly noteChanged: (path: string, text: string) => void;
}

interface Acting {
  readonly scene: Scene;
  readonly git: Git;
  readonly ownGit: Git;
  readonly worktree: string;
  readonly files: Map<string, string>;
  readonly staged: Map<string, string>;
  readonly commits: Set<string>;
  readonly added: string[];
  nth: number;
}

const ACTS = {
  commit,
  amend,
  untracked,
  change,
  stage,
  stash,
  stashOwn,
  commitOwn,
  branch,
  configure,
  addTask,
} as const;
export type UserAct = keyof typeof ACTS;
const SHARE: Readonly<Record<UserAct, number>> = {
  commit: 6,
  amend: 2,
  untracked: 3,
  change: 2,
  stage: 2,
  stash: 1,
  stashOwn: 1,
  commitOwn: 2,
  branch: 1,
  configure: 1,
  addTask: 2,
};

export function makeUser(scene: Scene): User {
  const worktree = join(scene.root, 'disk', 'own');
  scene.git('worktree', 'add', '-q', '-b', 'own', worktree);
  const env = { ...scene.env, [USER_MARK]: '1' };
  const ownGit = gitIn(worktree, env);
  const [files, staged] = [new Map<string, string>(), new Map<string, string>()];
  const commits = new Set<string>();
  const added: string[] = [];
  const acting: Acting = { scene, git: scene.git, ownGit, worktree, files, staged, commits, added, nth: 0 };
  for (const act of [stashOwn, commitOwn, branch]) act(acting);
  let own = ownThings(scene, worktree);
  const does = async (name: UserAct, random: Random): Promise<void> => {
    acting.nth += 1;
    await patiently(scene, () => ACTS[name](acting, random));
    own = ownThings(scene, worktree);
  };
  return {
    worktree,
    files,
    staged,
    commits,
    added,
    own: () => own,
    does,
    noteChanged: (path, text) => void files.set(path, text),
    act: async (random, allowed = null) => {
      const names = Object.keys(ACTS) as UserAct[];
      const drawn = random.pick(names.flatMap((one) => Array.from({ length: SHARE[one] }, () => one)));
      const name = allowed === null || allowed.includes(drawn) ? drawn : 'commitOwn';
      await does(name, random);
      return name;
    },
  };
}

/** How often a person types a command again before they look whether anybody is still at it. */
const TRIES = 40;

/** A person types a command again when the index is locked, and does what git tells them where its lock is a dead one's. */
async function patiently(scene: Scene, act: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      act();
      return;
    } catch (error) {
      const isLocked = /\.lock|cannot lock ref|HEAD.*expected/i.test(String(error));
      if (!isLocked || tries > 4 * TRIES) throw error;
      if (tries % TRIES === 0) removeDeadLock(scene, String(error));
      await sleep(100);
    }
  }
}

/** A git that was killed left it: none works in the repository, not even one that is stopped. */
function removeDeadLock({ root }: Scene, said: string): void {
  const lock = /Unable to create '(.+\.lock)'/.exec(said)?.[1];
  if (lock !== undefined && !processesOf(root).some(({ command }) => /^(\S*\/)?git /.test(command)))
    rmSync(lock, { force: true });
}

function put({ scene }: Acting, path: string, text: string): void {
  mkdirSync(dirname(join(scene.repo, path)), { recursive: true });
  writeFileSync(join(scene.repo, path), text);
}

function commit(me: Acting): void {
  const path = `user/${me.nth}.txt`;
  put(me, path, `mine ${me.nth}\n`);
  me.git('add', path);
  me.git('commit', '-q', '-m', `user ${me.nth}`, '--', path);
  me.commits.add(me.git('rev-parse', 'HEAD'));
}

/** Only a commit of their own: what landed meanwhile is looked at again after the fact. */
function amend(me: Acting): void {
  const before = me.git('rev-parse', 'HEAD');
  if (!me.commits.has(before)) return commit(me);
  const path = `user/${me.nth}-amended.txt`;
  put(me, path, `mine, amended ${me.nth}\n`);
  me.git('add', path);
  me.git('commit', '-q', '--amend', '-m', `user ${me.nth}, amended`, '--', path);
  me.commits.delete(before);
  me.commits.add(me.git('rev-parse', 'HEAD'));
}

function untracked(me: Acting): void {
  const path = `mine/${me.nth}.txt`;
  put(me, path, `not in git ${me.nth}\n`);
  me.files.set(path, `not in git ${me.nth}\n`);
}

function change(me: Acting): void {
  const text = `notes, changed ${me.nth}\n`;
  put(me, 'notes.txt', text);
  me.files.set('notes.txt', text);
}

function stage(me: Acting): void {
  const path = `staged/${me.nth}.txt`;
  put(me, path, `staged ${me.nth}\n`);
  me.git('add', path);
  me.staged.set(path, `staged ${me.nth}\n`);
}

function stash(me: Acting): void {
  if (!me.files.has('notes.txt')) return change(me);
  me.git('stash', 'push', '-q', '-m', `mine ${me.nth}`, '--', 'notes.txt');
  me.files.delete('notes.txt');
}

function stashOwn(me: Acting): void {
  writeFileSync(join(me.worktree, 'list.txt'), `mine ${me.nth}\n`);
  me.ownGit('stash', 'push', '-q', '-m', `own ${me.nth}`);
}

function commitOwn(me: Acting): void {
  writeFileSync(join(me.worktree, `own-${me.nth}.txt`), `own ${me.nth}\n`);
  me.ownGit('add', '-A');
  me.ownGit('commit', '-q', '-m', `own ${me.nth}`);
  writeFileSync(join(me.worktree, 'dirty.txt'), `never committed ${me.nth}\n`);
}

function branch(me: Acting): void {
  me.git('branch', '--no-track', `mine/${me.nth}`, 'HEAD');
}

function configure(me: Acting): void {
  me.git('config', 'una.note', String(me.nth));
}

/** Far from every other line, so that no tick meets it. */
function addTask(me: Acting, random: Random): void {
  if (me.added.length >= 4 || me.files.has('PRD.md') || random.chance(0.2)) return commit(me);
  const id = `extra${me.nth}`;
  me.scene.plan(id);
  const path = join(me.scene.repo, 'PRD.md');
  const before = readFileSync(path, 'utf8');
  appendFileSync(path, `\nOne more thing came up.\n\nIt is number ${me.nth}.\n\n- [ ] Make ${id} <!-- id: ${id} -->\n`);
  try {
    me.git('commit', '-q', '-m', `one more task: ${id}`, '--', 'PRD.md');
  } catch (error) {
    writeFileSync(path, before);
    throw error;
  }
  me.added.push(id);
  me.commits.add(me.git('rev-parse', 'HEAD'));
}

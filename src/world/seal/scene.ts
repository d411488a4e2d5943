import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Iteration } from '../contract/world.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Fingerprint } from './fingerprint.ts';
import { ifThere, textIfThere } from '../os/read-if-there.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { isDuring } from '../git/trace/git-trace.ts';
import { readReflog } from '../git/trace/reflog.ts';

export interface SealPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** Ignored files that are kept all the same. */
  readonly ignored: readonly string[];
  /** What tools install and build, as in .gitignore: where an agent works in place, the rest of what git ignores is kept. */
  readonly made: readonly string[];
  /** Absolute. */
  readonly worktreeRoot: string;
}

/** All there is to judge an iteration by: how things were, how they are, and what the agent is known to have done. */
export interface Scene {
  readonly place: SealPlace;
  readonly iteration: Iteration;
  /** The loop's own. */
  readonly branch: string;
  readonly before: Fingerprint;
  readonly after: Fingerprint;
  readonly trace: readonly GitCommand[];
  /** Refs that were there before because the loop itself had made them. */
  readonly made: ReadonlySet<string>;
  /** From when to when the agent lived. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether its output says that it wrote there: what stands behind the file's name, and the names themselves. */
  readonly told: (paths: readonly string[]) => boolean;
  /** Whether the agent's own text says that it writes this file, by its absolute path. */
  readonly programmed: (file: string) => boolean;
  /** No other agent of ours lived at that moment. */
  readonly isAlone: (atMs: number) => boolean;
  /** Another agent of ours worked in the main checkout at that moment. */
  readonly isTaken: (atMs: number) => boolean;
}

/** Something the agent did outside its worktree. */
export interface Finding {
  /** `moved the branch main from … to …`. */
  readonly did: string;
  readonly keep: readonly ToKeep[];
  /** Puts it back where that is certain to be right; says what, or null when it was not. */
  readonly restore: (() => Promise<string | null>) | null;
  /** A hook did it that took this repository for one of its own, as git tells it to. No reason to stop, once it is put back. */
  readonly isHooks?: boolean;
}

export type ToKeep =
  | { readonly commit: Sha }
  | { readonly path: string; readonly bytes: Buffer; readonly isExecutable: boolean };

export const short = (commit: string): string => commit.slice(0, 10);

/** A path of the checkout, which is bytes as latin1 characters, for people and for the file system. */
export const nameOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** The git folders a command worked in: the shared one stands for the main checkout. */
export function gitDirsOf(scene: Scene, command: GitCommand): readonly string[] {
  const { repo } = scene.place;
  const path = command.worktree === null ? null : realpathLoose(command.worktree);
  const linked = Object.entries({ ...scene.after.worktrees, ...scene.before.worktrees });
  const entry = linked.find(([, one]) => one.path !== null && realpathLoose(one.path) === path)?.[0];
  const own = path === repo.root ? [repo.commonDir] : entry === undefined ? [] : [entry];
  return [...new Set([...own, ...[...command.gitDirs].map(realpathLoose)])];
}

/** A git of one of these names that worked on the main checkout at that moment. */
export const gitAt = (scene: Scene, names: ReadonlySet<string>, atMs: number): GitCommand | undefined =>
  scene.trace.find(
    (one) => names.has(one.name) && isDuring(one, atMs) && gitDirsOf(scene, one).includes(scene.place.repo.commonDir),
  );

/** Every branch that a git folder's HEAD stood on since the iteration began. */
export function headsOf(scene: Scene, gitDir: string): ReadonlySet<string> {
  const { repo } = scene.place;
  const texts =
    gitDir === repo.commonDir
      ? [scene.before.head, scene.after.head]
      : [scene.before.worktrees[gitDir]?.head ?? '', textIfThere(join(gitDir, 'HEAD'))];
  const heads = new Set(texts.flatMap((text) => /^ref: (\S+)/.exec(text)?.[1] ?? []));
  for (const { atSeconds, message } of readReflog(gitDir, 'HEAD')) {
    const to = /moving from \S+ to (\S+)$/.exec(message)?.[1];
    if (to !== undefined && atSeconds >= Math.floor(scene.before.atMs / 1000)) heads.add(`refs/heads/${to}`);
  }
  return heads;
}

/** When a file was last written; null: it is not there. */
export const writtenMs = (file: string): number | null =>
  ifThere(() => statSync(file, { throwIfNoEntry: false }))?.mtimeMs ?? null;

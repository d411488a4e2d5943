import { resolve } from 'node:path';
import type { Repository } from '../../../world/git/run/repository.ts';
import { realpathLoose } from '../../../world/git/files/worktree-admin.ts';
import type { FeatureStatus } from '../../../world/feature/feature-status.ts';
import { findOne } from '../../call/find-one.ts';

/** What people and scripts are shown of a worktree. */
export interface FeatureView {
  readonly name: string;
  readonly path: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly kind: 'main' | 'loop' | 'feature' | 'yours';
  /** It is the one the caller stands in. */
  readonly current: boolean;
  /** Nobody uses it now: the next loop or its gates may, and what is too many goes after a run. */
  readonly spare: boolean;
  readonly clean: boolean | null;
  readonly staged: number | null;
  readonly unstaged: number | null;
  readonly untracked: number | null;
  readonly conflicts: number | null;
  readonly operation: string | null;
  readonly target: { readonly name: string; readonly ahead: number; readonly behind: number } | null;
  readonly upstream: {
    readonly name: string;
    readonly ahead: number;
    readonly behind: number;
    readonly gone: boolean;
  } | null;
  readonly unlanded: number | null;
  readonly locked: string | null;
  readonly missing: boolean;
  readonly broken: string | null;
  readonly port_base: number | null;
}

export function featureView(repo: Repository, status: FeatureStatus, spare = false): FeatureView {
  const { changes } = status;
  return {
    name: status.name,
    path: status.path,
    branch: status.branch,
    head: status.head,
    kind: status.isMain ? 'main' : status.ours,
    current: realpathLoose(status.path) === repo.worktree,
    spare,
    clean: changes?.isClean ?? null,
    staged: changes?.staged ?? null,
    unstaged: changes?.unstaged ?? null,
    untracked: changes?.untracked ?? null,
    conflicts: changes?.conflicts ?? null,
    operation: status.operation,
    target: status.target,
    upstream: upstreamView(status),
    unlanded: status.unlanded,
    locked: status.locked,
    missing: status.missing,
    broken: status.broken,
    port_base: status.note?.portBase ?? null,
  };
}

function upstreamView({ upstream }: FeatureStatus): FeatureView['upstream'] {
  if (upstream === null) return null;
  const { isGone, ...rest } = upstream;
  return { ...rest, gone: isGone };
}

/** Everything about it that a person should know, in few words. */
export function featureState(status: FeatureStatus, spare = false): string {
  const { changes, operation, locked, missing, broken, note } = status;
  if (missing) return 'its folder is missing';
  if (broken !== null) return `git cannot read it: ${broken}`;
  const parts = [
    changes === null || changes.isClean ? 'clean' : changes.text,
    operation === null ? '' : `${operation} under way`,
    landedState(status),
    locked === null ? '' : 'locked',
    spare ? 'spare' : '',
    note?.isDone === false ? 'not finished' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Only what somebody committed can have landed. Where nobody noted what a branch began from, that is not known. */
function landedState({ unlanded, base, head, isMain }: FeatureStatus): string {
  if (unlanded === null) return '';
  if (unlanded > 0) return `${unlanded} unlanded`;
  if (base === null && !isMain) return 'nothing unlanded';
  return base === head ? 'no commits yet' : 'all landed';
}

/** The worktree that a name, branch or folder names. `.` is the one the caller stands in. */
export function findFeature(
  repo: Repository,
  features: readonly FeatureStatus[],
  id: string,
  cwd: string,
): FeatureStatus {
  const folder = id === '' ? null : id === '.' ? repo.worktree : realpathLoose(resolve(cwd, id));
  const byFolder = features.find((one) => realpathLoose(one.path) === folder);
  if (byFolder !== undefined) return byFolder;
  const names = ({ name, branch }: FeatureStatus): readonly string[] => [name, ...(branch === null ? [] : [branch])];
  return findOne(features, names, id, 'worktree', 'ralph worktree list');
}

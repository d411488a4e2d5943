import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { WorktreeSettings } from '../../core/settings.ts';
import { freePorts } from '../../text/feature/free-ports.ts';
import { withMutex } from '../mutex.ts';
import { readAdminNote, writeAdminNote } from '../git/admin-note.ts';
import type { Repository } from '../git/repository.ts';
import { gitDirs } from '../git/worktree-admin.ts';

/** What is written down beside git's own files of a worktree: it moves with it, and goes with it. */
export interface FeatureNote {
  readonly name: string;
  readonly branch: string;
  /** The commit it began at. */
  readonly base: string;
  /** Whether it was we who made it, and not a person with git. */
  readonly isOurs: boolean;
  /** Whether its branch came into being with it, and so goes with it. */
  readonly ownsBranch: boolean;
  /** Whether everything that belongs to the making has been done. */
  readonly isDone: boolean;
  readonly portBase: number;
  readonly portStep: number;
  readonly carried: readonly CarriedFile[];
}

export interface CarriedFile {
  readonly path: string;
  /** SHA-256 of what was copied. */
  readonly digest: string;
}

const NAME = 'paralph-feature.json';

/** Null: none, or one that a crash or an agent spoiled. */
export function readFeatureNote(adminDir: string): FeatureNote | null {
  const note = readAdminNote(adminDir, NAME) as Partial<FeatureNote> | null;
  const isWhole =
    note !== null &&
    [note.name, note.branch, note.base].every((text) => typeof text === 'string') &&
    [note.portBase, note.portStep].every((count) => Number.isInteger(count)) &&
    Array.isArray(note.carried);
  return isWhole ? (note as FeatureNote) : null;
}

/** On the disk when it returns. */
export const writeFeatureNote = (adminDir: string, note: FeatureNote): void => writeAdminNote(adminDir, NAME, note);

/** Notes down a worktree with ports that no other one has. One that has a note keeps its ports. */
export function noteFeature(
  repo: Repository,
  adminDir: string,
  note: Omit<FeatureNote, 'portBase' | 'portStep' | 'carried'>,
  settings: WorktreeSettings,
): Promise<FeatureNote> {
  return withMutex(join(repo.stateDir, 'locks', 'ports'), async () => {
    const before = readFeatureNote(adminDir);
    const ports = before ?? { ...newPorts(repo, settings), carried: [] };
    const { portBase, portStep, carried } = ports;
    const written = { ...note, portBase, portStep, carried };
    writeFeatureNote(adminDir, written);
    return written;
  });
}

function newPorts(
  repo: Repository,
  { portBase, portStep }: WorktreeSettings,
): Pick<FeatureNote, 'portBase' | 'portStep'> {
  const taken = gitDirs(repo).flatMap((dir) => readFeatureNote(dir) ?? []);
  const free = freePorts(taken, { portBase, portStep });
  if (free !== null) return { portBase: free, portStep };
  throw new AppError('E_BUSY', `No ports are left from ${portBase} up for one more worktree.`, {
    remedy: 'ralph worktree clean',
  });
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { AppError } from '../../core/model/errors.ts';
import { PORT_STEP, overlaps, portBases } from '../../text/feature/free-ports.ts';
import type { PortRange } from '../../text/feature/free-ports.ts';
import { withMutex } from '../processes/mutex.ts';
import { readAdminNote, writeAdminNote, LOCK_REASON } from './loop-notes.ts';
import type { Repository } from '../git/run/repository.ts';
import { gitDirs, realpathLoose } from '../git/files/worktree-admin.ts';

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

/** Notes down a worktree with ports that no other one has. One that has a note keeps its ports, one that comes back gets its own. */
export function noteFeature(
  repo: Repository,
  adminDir: string,
  note: Omit<FeatureNote, 'portBase' | 'portStep' | 'carried'> & Partial<FeatureNote>,
): Promise<FeatureNote> {
  return withMutex(join(repo.stateDir, 'locks', 'ports'), async () => {
    const before = readFeatureNote(adminDir);
    const { portBase, portStep } = before ?? (await newPorts(repo, note));
    const written = { ...note, portBase, portStep, carried: before?.carried ?? note.carried ?? [] };
    writeFeatureNote(adminDir, written);
    return written;
  });
}

async function newPorts(repo: Repository, wished: Partial<PortRange>): Promise<PortRange> {
  const taken = gitDirs(repo).flatMap((dir) => readFeatureNote(dir) ?? []);
  const isFree = (range: PortRange): boolean => !taken.some((other) => overlaps(range, other));
  const own = { portBase: wished.portBase ?? 0, portStep: wished.portStep ?? 0 };
  if (own.portStep > 0 && isFree(own)) return own;
  for (const portBase of portBases(numberOf(repo))) {
    const range = { portBase, portStep: PORT_STEP };
    if (isFree(range) && (await isSilent(range))) return range;
  }
  throw new AppError('E_BUSY', 'no ports are left for one more worktree', {
    remedy: 'ralph worktree clean',
  });
}

/** The same for every worktree of a repository, and most likely another one for any other repository. */
const numberOf = ({ commonDir }: Repository): number =>
  createHash('sha256').update(realpathLoose(commonDir)).digest().readUInt32BE(0);

/** What the lock of a feature worktree of ours begins with while we make or remove it. At all other times it has none. */
export const FEATURE_LOCK = `${LOCK_REASON} of a feature`;
/** What a killed process left is known by it. */
export const MAKING = `${FEATURE_LOCK}, being made`;
export const REMOVING = `${FEATURE_LOCK}, being removed`;

/** One at a time makes or removes what stands at a path. */
export function withFeaturePlace<T>(repo: Repository, path: string, act: () => Promise<T>): Promise<T> {
  const digest = createHash('sha256').update(realpathLoose(path)).digest('hex').slice(0, 16);
  return withMutex(join(repo.stateDir, 'locks', `feature-${digest}`), act);
}

/** Everywhere at once, and this machine alone: some systems let a program have the one while another has the other. */
const HOSTS = [undefined, '127.0.0.1'] as const;

/** Whether nobody listens on any port of a range. Where that cannot be found out nobody does. */
async function isSilent({ portBase, portStep }: PortRange): Promise<boolean> {
  for (let port = portBase; port < portBase + portStep; port += 1)
    for (const host of HOSTS) if (await isTaken(port, host)) return false;
  return true;
}

function isTaken(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

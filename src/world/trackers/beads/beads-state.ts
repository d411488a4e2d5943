import { readlinkSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { ifThere, textIfThere } from '../../os/read-if-there.ts';

const FOLDER = 'orchestrator';

/** Issues for which an orchestrator wrote down a process, and that process lives. */
export function livingIn(root: string, beadsFolder: string): ReadonlySet<string> {
  const states = Object.entries(readJson(join(beadsFolder, FOLDER, 'state.json'))).flatMap(([id, entry]) =>
    isRecord(entry) ? [{ id, pid: Number(entry['pid']), worktree: entry['worktree'] }] : [],
  );
  const pids = Object.entries(readJson(join(beadsFolder, FOLDER, 'pids.json'))).map(([id, pid]) => ({
    id,
    pid: Number(pid),
    worktree: undefined,
  }));
  return new Set([...states, ...pids].filter((entry) => isAtWork(root, entry)).map(({ id }) => id));
}

/** The number may be another program's by now: where the system tells, a worker stands in its worktree. */
function isAtWork(root: string, { pid, worktree }: { readonly pid: number; readonly worktree: unknown }): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (typeof worktree !== 'string' || worktree === '') return true;
  const folder = resolve(root, worktree);
  const cwd = ifThere(() => readlinkSync(`/proc/${pid}/cwd`));
  return cwd === undefined || cwd === folder || cwd.startsWith(`${folder}${sep}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textIfThere(file) ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

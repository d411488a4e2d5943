import { existsSync, mkdirSync, readlinkSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { replaceFile } from '../../os/files.ts';
import { ifThere, textIfThere } from '../../os/read-if-there.ts';

const FOLDER = 'orchestrator';
const FOR_ALL = { mode: 0o666 };

/** Issues for which an orchestrator wrote down a process, and that process lives. */
export function livingIn(root: string, beadsFolder: string): ReadonlySet<string> {
  const states = Object.keys(livingLines(root, join(beadsFolder, FOLDER, 'state.json')));
  const pids = Object.entries(readJson(join(beadsFolder, FOLDER, 'pids.json'))).map(([id, pid]) => ({
    id,
    pid: Number(pid),
    worktree: undefined,
  }));
  return new Set([...states, ...pids.filter((entry) => isAtWork(root, entry)).map(({ id }) => id)]);
}

/** Lines whose process lives. */
function livingLines(root: string, file: string): Readonly<Record<string, unknown>> {
  const lines = Object.entries(readJson(file)).filter(
    ([, line]) => isRecord(line) && isAtWork(root, { pid: Number(line['pid']), worktree: line['worktree'] }),
  );
  return Object.fromEntries(lines);
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

/** One line of it: everything is a text there. */
interface StateLine {
  readonly pid: string;
  readonly worktree: string;
  readonly pr_number: string;
}

export interface BeadAtWork {
  readonly id: string;
  readonly pid: number | null;
  readonly worktree: string | null;
}

/** Writes who works on what, for `jq` and for people; git does not show it. What another orchestrator has at work stays there. */
export function openBeadsState(root: string): (atWork: readonly BeadAtWork[]) => void {
  const beads = join(root, '.beads');
  const file = join(beads, FOLDER, 'state.json');
  const own = new Set<string>();
  let last: string | null = null;
  return (atWork) => {
    if (!existsSync(beads)) return;
    const lines = atWork.map(({ id, pid, worktree }): readonly [string, StateLine] => [
      id,
      {
        pid: pid === null ? '' : String(pid),
        worktree: worktree === null ? '' : relative(root, worktree),
        pr_number: '',
      },
    ]);
    for (const { id } of atWork) own.add(id);
    const wanted = JSON.stringify(lines);
    if (wanted === last) return;
    const others = Object.entries(livingLines(root, file)).filter(([id]) => !own.has(id));
    const text = `${JSON.stringify(Object.fromEntries([...others, ...lines]), null, 2)}\n`;
    mkdirSync(join(beads, FOLDER), { recursive: true });
    const hides = join(beads, FOLDER, '.gitignore');
    if (!existsSync(hides)) replaceFile(hides, '*\n', FOR_ALL);
    replaceFile(file, text, FOR_ALL);
    last = wanted;
  };
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

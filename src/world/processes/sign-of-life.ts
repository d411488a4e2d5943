import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from '../os/system-failure.ts';

/** One of the processes that share a folder. */
interface Shown {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** Not held yet: whoever starts at the same time would take it for a dead one's. */
const DRAFT = '.new';

let folder: string | null = null;
/** What to take away in the end; all with one listener, however many repositories one process opens. */
const signs: string[] = [];

const nameOf = ({ pid, startTime, bootId }: Shown): string =>
  `${pid}-${startTime}-${bootId}`.replaceAll(/[^\w-]/g, '_');

/**
 * Shows processes in other containers, which cannot see this one, that it lives: by holding a pipe in a folder they share.
 * The kernel lets go of it when this process ends, however it ends.
 */
export async function showLife(dir: string, own: Shown): Promise<void> {
  folder = dir;
  const sign = join(dir, nameOf(own));
  try {
    mkdirSync(dir, { recursive: true });
    const shown = readdirSync(dir).filter((name) => !name.endsWith(DRAFT));
    for (const name of shown) if (!isHeld(join(dir, name))) rmSync(join(dir, name), { force: true });
    await promisify(execFile)('mkfifo', ['-m', '600', `${sign}${DRAFT}`]);
    openSync(`${sign}${DRAFT}`, constants.O_RDWR | constants.O_NONBLOCK);
    renameSync(`${sign}${DRAFT}`, sign);
    if (signs.push(sign) === 1) process.on('exit', removeSigns);
  } catch {
    // Nobody but other containers misses it.
  }
}

function removeSigns(): void {
  for (const sign of signs) rmSync(sign, { force: true });
}

/** Whether a process that cannot be seen from here shows that it lives. */
export const showsLife = (process: Shown): boolean => folder !== null && isHeld(join(folder, nameOf(process)));

/** Opening a pipe for writing fails where nobody has it open for reading. What is no such failure proves nothing. */
function isHeld(sign: string): boolean {
  try {
    closeSync(openSync(sign, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ENXIO' && errnoOf(error) !== 'ENOENT';
  }
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../os/read-if-there.ts';
import { parseReflog } from '../git/trace/reflog.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';
import { replace, underLock } from './restore-files.ts';

/**
 * As `git stash drop`, of exactly this entry wherever it lies. git is told entries by their place: what somebody pushes in that
 * moment would have it, and be lost. So it is done here, under git's own lock on the ref.
 */
export function dropStash(commonDir: string, { to, atSeconds }: ReflogEntry): boolean {
  const [ref, log] = [join(commonDir, 'refs/stash'), join(commonDir, 'logs/refs/stash')];
  return underLock(ref, () => {
    // Bytes as they are: nobody says that a message is text.
    const text = readIfThere(log)?.toString('latin1') ?? '';
    const entries = parseReflog(text);
    const at = entries.findLastIndex((one) => one.to === to && one.atSeconds === atSeconds);
    const gone = entries[at];
    if (gone === undefined || entries.map(({ line }) => `${line}\n`).join('') !== text) return false;
    const rest = entries.toSpliced(at, 1);
    // What came after it follows upon what was before it.
    const lines = rest.map(({ line, from }, n) =>
      n === at ? `${gone.from}${line.slice(from.length)}\n` : `${line}\n`,
    );
    const { mode } = statSync(log);
    replace(log, Buffer.from(lines.join(''), 'latin1'), mode);
    const top = rest.at(-1);
    if (at === rest.length && top !== undefined) replace(ref, Buffer.from(`${top.to}\n`), mode);
    return true;
  });
}

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Repository } from '../git/run/repository.ts';
import { tryLink } from '../log/append-record.ts';
import { systemFailure } from '../os/system-failure.ts';

/** Modules, pipes to git, logs of agents: with fewer a run ends somewhere in the middle. */
const FILES_MIN = 128;

/** What a run needs of the system around it: each throws one sentence, and `ralph doctor` asks them all. */
export const FITNESS: Readonly<Record<'files' | 'writes' | 'links', (repo: Repository) => string>> = {
  files: () => {
    const max = filesMax();
    if (max !== null && max < FILES_MIN)
      throw new AppError('E_PROCESS', `only ${max} files may be open at once, and paralph needs ${FILES_MIN}`, {
        remedy: 'ulimit -n 4096',
      });
    return max === null ? 'no limit known' : `${max} may be open at once`;
  },
  writes: ({ commonDir }) => {
    for (const folder of [commonDir, join(commonDir, 'objects'), join(commonDir, 'refs')]) refuseUnwritable(folder);
    return `${commonDir} can be written`;
  },
  links: ({ commonDir, stateDir }) => {
    try {
      tryLink(existsSync(stateDir) ? stateDir : commonDir, commonDir);
    } catch (error) {
      // Asked of the others.
      if (!(error instanceof AppError)) throw systemFailure(`${commonDir} cannot be written`, error);
      throw error;
    }
    return 'there are hard links';
  },
};

/** Asked before anything is made or mended. */
export function refuseUnfit(repo: Repository): void {
  for (const ask of Object.values(FITNESS)) ask(repo);
}

function refuseUnwritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = systemFailure(`${folder} cannot be written`, error);
    throw new AppError(code, message, { remedy: `ls -ld ${shellWord(folder)}`, cause: error });
  }
}

/** Null: unlimited, or a system that does not tell in a file. */
function filesMax(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { RalphLoopState } from '../../text/start/ralph-loop-state.ts';
import { RALPH_LOOP_FILE, readRalphLoop } from '../../text/start/ralph-loop-state.ts';
import { readPlainText } from '../os/files.ts';

export type FoundRalphLoop = { readonly file: string; readonly feature: string | null } & (
  | { readonly state: RalphLoopState; readonly problem: null }
  /** It is there, and nobody can tell what it says. */
  | { readonly state: null; readonly problem: string }
);

/** The state file of ralph-loop in the first of these folders that has one. */
export function findRalphLoop(folders: readonly string[]): FoundRalphLoop | null {
  for (const file of folders.map((folder) => join(folder, RALPH_LOOP_FILE))) {
    const read = readPlainText(file);
    if (read === null) continue;
    if ('fault' in read) return { file, feature: null, state: null, problem: `${file} ${read.fault}` };
    const loop = readRalphLoop(read.text);
    const { feature } = loop;
    if ('state' in loop) return { file, feature, state: loop.state, problem: null };
    return { file, feature, state: null, problem: `${file}:${loop.problem.line} ${loop.problem.message}` };
  }
  return null;
}

/** Moves a state file aside, so that its loop ends at the next stop. Nothing that exists is overwritten. */
export function keepAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n += 1) {
    const kept = `${file}.kept-${time}${n === 1 ? '' : `-${n}`}`;
    if (lstatSync(kept, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      linkSync(file, kept);
      unlinkSync(file);
      return kept;
    } catch (cause) {
      const { code = String(cause) } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      // Not every disk has hard links.
      if (code === 'EPERM' || code === 'ENOTSUP') return renamed(file, kept);
      throw new AppError('E_STATE_UNWRITABLE', `${file} cannot be moved aside: ${code}`, {
        cause,
        remedy: `mv ${shellWord(file)} ${shellWord(kept)}`,
      });
    }
  }
}

function renamed(file: string, kept: string): string {
  renameSync(file, kept);
  return kept;
}

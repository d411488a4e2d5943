import { existsSync } from 'node:fs';
import { AppError, UPGRADE } from '../../core/model/errors.ts';

/** `where` is `path:line`. */
export function damaged(where: string, what: string): AppError {
  return new AppError('E_LOG_DAMAGED', `${where}: ${what}`, { remedy: 'ralph doctor --fix' });
}

export function missingRecord(dir: string, seq: number): AppError {
  if (existsSync(dir)) return damaged(dir, `record ${seq} is missing`);
  return new AppError('E_LOG_DAMAGED', `${dir}: record ${seq} is missing: the log was removed while it was in use`, {
    facts: [
      'Nothing new is started or landed. Agents that run go on; what they make is in their worktrees.',
      'The next run takes up what branches, worktrees and the history tell.',
    ],
    remedy: 'ralph run --parallel',
  });
}

export function newerFormat(where: string, version: number, ours: number): AppError {
  return new AppError('E_LOG_NEWER', `${where}: format ${version}, but this version knows only up to ${ours}`, {
    remedy: UPGRADE,
  });
}

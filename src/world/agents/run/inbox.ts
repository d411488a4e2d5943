import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { errnoOf } from '../../os/system-failure.ts';
import { makePrivateFolder, writePrivately } from '../../os/files.ts';

/** What a host can tell an agent while it works. */
export type InboxMessage = { readonly type: 'steer'; readonly text: string } | { readonly type: 'interrupt' };

const TALK = 'talk.json';
const INBOX = 'inbox';

/** Opens a conversation: our driver beside the agent reads how to lead it, and later its messages. */
export function openTalk(dir: string, talk: unknown): void {
  makePrivateFolder(join(dir, INBOX));
  writePrivately(join(dir, TALK), JSON.stringify(talk));
}

/** A run folder serves one start; one that failed may have been for another driver. */
export function closeTalk(dir: string): void {
  rmSync(join(dir, TALK), { force: true });
}

/** Whether a driver of ours leads the agent, so that it can be spoken to. */
export const canTalk = (dir: string): boolean => existsSync(join(dir, TALK));

/**
 * Puts a message where the driver looks for it; one that lies there or was handed on is not given twice. False: it could
 * not be put there. A full disk, or an inbox somebody removed, must not keep us from stopping the agent by force.
 */
export function putMessage(dir: string, id: string, message: InboxMessage): boolean {
  const file = join(dir, INBOX, `${id}.json`);
  if (existsSync(file) || existsSync(`${file}.taken`)) return true;
  try {
    writePrivately(file, JSON.stringify(message));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The newest guidance the driver has handed on; what still lies there was not heard. */
export function newestTaken(dir: string): number {
  if (!canTalk(dir)) return 0;
  let newest = 0;
  for (const name of namesIn(join(dir, INBOX))) {
    const id = /^(\d{1,15})\.json\.taken$/.exec(name)?.[1];
    newest = Math.max(newest, Number(id ?? 0));
  }
  return newest;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return [];
  }
}

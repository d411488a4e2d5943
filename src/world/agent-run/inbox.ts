import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from './agent-file.ts';

/** What a host can tell an agent while it works. */
export type InboxMessage = { readonly type: 'steer'; readonly text: string } | { readonly type: 'interrupt' };

const TALK = 'talk.json';
const INBOX = 'inbox';

/** Opens a conversation: our driver beside the agent reads how to lead it, and later its messages. */
export function openTalk(dir: string, talk: unknown): void {
  mkdirSync(join(dir, INBOX), { recursive: true, mode: 0o700 });
  writePrivately(join(dir, TALK), JSON.stringify(talk));
}

/** A run folder serves one start; one that failed may have been for another driver. */
export function closeTalk(dir: string): void {
  rmSync(join(dir, TALK), { force: true });
}

/** Whether a driver of ours leads the agent, so that it can be spoken to. */
export const canTalk = (dir: string): boolean => existsSync(join(dir, TALK));

/** Puts a message where the driver looks for it; one that lies there or was handed on is not given twice. */
export function putMessage(dir: string, id: string, message: InboxMessage): void {
  const file = join(dir, INBOX, `${id}.json`);
  if (existsSync(file) || existsSync(`${file}.taken`)) return;
  writePrivately(file, JSON.stringify(message));
}

/** The newest guidance the driver has handed on; what still lies there was not heard. */
export function newestTaken(dir: string): number {
  if (!canTalk(dir)) return 0;
  const ids = readdirSync(join(dir, INBOX)).flatMap((name) => {
    const id = /^(\d+)\.json\.taken$/.exec(name)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
  return Math.max(0, ...ids);
}

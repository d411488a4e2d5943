import { lstatSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { makePrivateFolder, readJsonFile, replaceFile } from '../os/files.ts';
import { findRepository } from '../git/run/repository.ts';
import type { Repository } from '../git/run/repository.ts';
import { cannotWrite } from '../os/errno.ts';
import { withMutex } from '../processes/mutex.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import { pause } from '../os/clock.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { lookAtShim } from '../processes/shim-folder.ts';
import { checkoutKey, ensureRalphFolderIn, lockFile, runFolder } from '../git/run/state-places.ts';

/** Who works in a checkout, as `.ralph/loop.lock` tells it. */
export interface LockHolder extends ProcessIdentity {
  /** ISO. */
  readonly started: string;
  readonly loop: string;
  /** How the prompt begins. */
  readonly prompt: string;
}

export interface LoopLock {
  readonly holder: LockHolder;
  /** False: its process is gone, so the checkout is free. */
  readonly isAlive: boolean;
}

const BYTES_MAX = 64 * 1024;
const PROMPT_CHARS = 100;

export const loopLockFile = (checkout: string): string => join(checkout, '.ralph', 'loop.lock');

/** The same once more where no `git clean` in the checkout, an agent's or a person's, takes it away. */
function hiddenLockFile(checkout: string): string | null {
  try {
    return join(findRepository(checkout).stateDir, 'in-place', `holder-${checkoutKey(checkout)}`);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Null: nobody ever worked there, or no file says anything that can be understood. */
export function readLoopLock(checkout: string): LoopLock | null {
  const hidden = hiddenLockFile(checkout);
  return readLock(loopLockFile(checkout)) ?? (hidden === null ? null : readLock(hidden));
}

function readLock(file: string): LoopLock | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > BYTES_MAX) return null;
  const holder = readJsonFile(file) as Partial<LockHolder> | null;
  return isHolder(holder) ? { holder, isAlive: isAlive(holder) } : null;
}

function isHolder(value: Partial<LockHolder> | null): value is LockHolder {
  const texts = [value?.startTime, value?.bootId, value?.started, value?.loop, value?.prompt];
  return Number.isInteger(value?.pid) && texts.every((text) => typeof text === 'string');
}

const LOOK_AGAIN_MS = 50;

/** Resolves when whoever works in a checkout for a loop has ended what it does there, or after the time. */
export async function awaitLetGo(checkout: string, loop: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = readLoopLock(checkout);
    if (found?.isAlive !== true || found.holder.loop !== loop || performance.now() >= deadline) return;
    await pause(LOOK_AGAIN_MS);
  }
}

export interface HeldLock {
  release(): Promise<void>;
}

/** Who is in the way of a loop in a checkout: a process that holds its lock, or an agent that outlived the one that did. */
export function findHolder(repo: Repository, checkout: string, loop: string): LockHolder | null {
  const found = readLoopLock(checkout);
  if (found === null || found.isAlive) return found?.holder ?? null;
  const agent = found.holder.loop === loop ? null : agentOf(repo, found.holder.loop);
  return agent === null ? null : { ...found.holder, ...agent };
}

function agentOf(repo: Repository, loop: string): ProcessIdentity | null {
  if (!/^[a-z0-9-]+$/.test(loop)) return null;
  const folder = dirname(runFolder(repo, loop, 1));
  const sights = namesIfThere(folder).map((n) => lookAtShim(join(folder, n)));
  return sights.find((sight) => sight.state === 'running')?.identity ?? null;
}

/** Takes the checkout for a loop, or tells who has it. A dead holder's lock is free as soon as nobody works there for it. */
export function takeLoopLock(
  repo: Repository,
  checkout: string,
  { loop, prompt }: { readonly loop: string; readonly prompt: string },
): Promise<HeldLock | LockHolder> {
  const mutex = mutexOf(repo, checkout);
  const own = ownIdentity();
  return withMutex(mutex, async () => {
    const holder = findHolder(repo, checkout, loop);
    if (holder !== null && !isSame(holder, own)) return holder;
    const begins = prompt.slice(0, PROMPT_CHARS);
    write(checkout, { ...own, started: new Date().toISOString(), loop, prompt: begins });
    return { release: () => withMutex(mutex, async () => letGo(checkout, own)) };
  });
}

export const isHeld = (taken: HeldLock | LockHolder): taken is HeldLock => 'release' in taken;

const mutexOf = (repo: Repository, checkout: string): string => lockFile(repo, `checkout-${checkoutKey(checkout)}`);

/** Whole or not at all: who reads it sees the one before or this one. */
function write(checkout: string, holder: LockHolder): void {
  const text = `${JSON.stringify(holder, null, 2)}\n`;
  const hidden = hiddenLockFile(checkout);
  if (hidden !== null) {
    makePrivateFolder(dirname(hidden));
    replaceFile(hidden, text);
  }
  try {
    ensureRalphFolderIn(checkout);
    replaceFile(loopLockFile(checkout), text, { mode: 0o666 });
  } catch (error) {
    throw cannotWrite(join(checkout, '.ralph'), error);
  }
}

function letGo(checkout: string, own: ProcessIdentity): void {
  const found = readLoopLock(checkout);
  if (found === null || !isSame(found.holder, own)) return;
  for (const file of [loopLockFile(checkout), hiddenLockFile(checkout)])
    if (file !== null) rmSync(file, { force: true });
}

import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { invariant } from '../../core/model/assert.ts';
import { reach } from '../os/failpoint.ts';
import { cannotWrite } from '../os/errno.ts';
import { createMutexWait } from './mutex-waits.ts';
import { errnoOf } from '../os/system-failure.ts';
import { type ProcessIdentity, isAlive, isStopped, ownIdentity } from './identity.ts';

const WAIT_MIN_MS = 5;
const WAIT_MAX_MS = 50;

/** One process does not contend with itself on the file: its callers wait here, first come first served. */
const queues = new Map<string, Promise<unknown>>();

/** Runs `act` while no other caller on this machine runs one for the same file. The lock of a dead process is taken over at once. */
export function withMutex<T>(file: string, act: () => Promise<T>): Promise<T> {
  const path = resolve(file);
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(() => holding(path, act));
  const settled = mine.catch(() => {});
  queues.set(path, settled);
  void settled.then(() => {
    if (queues.get(path) === settled) queues.delete(path);
  });
  return mine;
}

/**
 * Runs `act` while holding one of several files, whichever is free first. Null: the signal came before one was. Only one
 * caller at a time looks for a free file, so nobody is passed over again and again.
 */
export async function withOneMutexOf<T>(
  files: readonly string[],
  signal: AbortSignal,
  act: (file: string) => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const paths = files.map((file) => resolve(file));
  const turn = withMutex(turnOf(paths[0] ?? ''), async () => (signal.aborted ? null : acquire(paths, signal)));
  const held = await unlessAborted(turn, signal);
  if (held === null) {
    // Our turn may come, and with it a file, after we have gone.
    void turn.then((late) => (late === null ? undefined : release(late))).catch(() => {});
    return null;
  }
  return { value: await whileHeld(held, () => act(held.path)) };
}

/** Held by whoever looks for a free one. */
export const turnOf = (path: string): string => `${path}.turn`;

/** Whether whoever holds it is suspended: alive, so that nobody may take it, and perhaps for hours. */
export async function isHeldBySuspended(file: string): Promise<boolean> {
  const holder = (await readLock(resolve(file)))?.holder ?? null;
  return holder !== null && isStopped(holder);
}

interface Held {
  readonly path: string;
  /** Marks the file as ours. */
  readonly tag: string;
}

async function holding<T>(path: string, act: () => Promise<T>): Promise<T> {
  const held = await acquire([path], null);
  invariant(held !== null, 'only a signal ends the wait');
  return whileHeld(held, act);
}

async function whileHeld<T>(held: Held, act: () => Promise<T>): Promise<T> {
  try {
    reach('mutex.linked');
    return await act();
  } finally {
    await release(held);
  }
}

async function release({ path, tag }: Held): Promise<void> {
  // Somebody may have deleted the file by hand and somebody else taken it since: only our own is ours to remove. One that cannot be
  // read, for want of a file handle, is ours: left behind it would be held by somebody who lives, and nobody would ever get it.
  const found = await readLock(path).catch(() => ({ tag }));
  if (found?.tag === tag) await unlinkIfThere(path);
  reach('mutex.released');
}

/** Links a fully written file into place, so nobody ever reads a half-written holder. Null: the signal came first. */
async function acquire(paths: readonly string[], signal: AbortSignal | null): Promise<Held | null> {
  const content = JSON.stringify({ ...ownIdentity(), nonce: randomUUID() });
  const prepared = `${paths[0]}.tmp-${randomUUID()}`;
  await prepare(prepared, content);
  try {
    reach('mutex.tmp');
    await sweepOnce(dirname(prepared));
    const wait = createMutexWait(paths[0] ?? '', signal === null ? 'alone' : 'shared');
    do {
      const holders: ProcessIdentity[] = [];
      for (const path of paths) {
        const holder = await holderInTheWay(prepared, path);
        if (holder === null) {
          wait.over();
          return { path, tag: tagOf(content) };
        }
        holders.push(holder);
      }
      wait.blocked(holders);
      await sleep(WAIT_MIN_MS + Math.random() * (WAIT_MAX_MS - WAIT_MIN_MS));
    } while (signal?.aborted !== true);
    return null;
  } catch (error) {
    throw cannotWrite(dirname(prepared), error);
  } finally {
    // If it stays, it is swept later; an error here would leave a lock that nobody holds.
    await unlink(prepared).catch(() => {});
  }
}

/** Takes it, unless somebody who lives holds it. */
async function holderInTheWay(prepared: string, path: string): Promise<ProcessIdentity | null> {
  while (!(await linked(prepared, path))) {
    const lock = await readLock(path);
    if (lock === null) continue;
    if (lock.holder !== null && isAlive(lock.holder)) return lock.holder;
    await removeDead(path, lock.tag);
  }
  return null;
}

/** The first to come of a promise and the signal, which then stands for null. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const settled = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}

async function prepare(file: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (error) {
    await unlink(file).catch(() => {});
    throw cannotWrite(dirname(file), error);
  }
}

/**
 * Two waiters may find the same dead holder, and the slower one must not remove the lock that the faster one took since.
 * So removal has a mutex of its own, named after the very lock it removes: under it, that lock can only stay or be gone.
 * It is taken like any other, so a remover that dies half-way is removed the same way.
 */
async function removeDead(path: string, tag: string): Promise<void> {
  await withMutex(removalOf(path, tag), async () => {
    if ((await readLock(path))?.tag !== tag) return;
    await removeLitter(dirname(path));
    reach('mutex.dead');
    await unlinkIfThere(path);
  });
}

/** Named by digest, so a remover of a remover does not make the name longer and longer. */
const removalOf = (path: string, tag: string): string =>
  join(dirname(path), `.dead-${tagOf(`${basename(path)} ${tag}`)}`);

const swept = new Set<string>();

/** Nobody may ever ask again for what a dead process held. */
async function sweepOnce(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  await removeLitter(folder);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const lock = entry.isFile() ? await readLock(path) : null;
    if (lock?.holder != null && !isAlive(lock.holder)) await removeDead(path, lock.tag);
  }
}

/** What killed processes prepared and never linked. */
async function removeLitter(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.tmp-[0-9a-f-]{36}$/.test(name)) continue;
    const prepared = join(folder, name);
    const lock = await readLock(prepared);
    if (lock?.holder != null && !isAlive(lock.holder)) await unlinkIfThere(prepared);
  }
}

interface Lock {
  /** Null: unreadable, which only a power cut can leave behind, so its holder is gone. */
  readonly holder: ProcessIdentity | null;
  readonly tag: string;
}

async function readLock(path: string): Promise<Lock | null> {
  try {
    const content = await readFile(path, 'utf8');
    const holder = holderIn(content);
    if (holder !== null) return { holder, tag: tagOf(content) };
    const { ino, mtimeMs } = await stat(path);
    return { holder, tag: tagOf(`${ino} ${mtimeMs} ${content}`) };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function holderIn(content: string): ProcessIdentity | null {
  try {
    const value = JSON.parse(content) as ProcessIdentity | null;
    return typeof value?.pid === 'number' ? value : null;
  } catch {
    return null;
  }
}

const tagOf = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 32);

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

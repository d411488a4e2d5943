import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cannotWrite } from './log/log-errors.ts';
import { type ProcessIdentity, isAlive, ownIdentity } from './processes/identity.ts';

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

async function holding<T>(path: string, act: () => Promise<T>): Promise<T> {
  const mine = await acquire(path);
  try {
    return await act();
  } finally {
    // Somebody may have deleted the file by hand and somebody else taken it since: only our own is ours to remove.
    if ((await readLock(path))?.tag === mine) await unlinkIfThere(path);
  }
}

/** Links a fully written file into place, so nobody ever reads a half-written holder. Returns what marks it as ours. */
async function acquire(path: string): Promise<string> {
  const content = JSON.stringify({ ...ownIdentity(), nonce: randomUUID() });
  const prepared = `${path}.tmp-${randomUUID()}`;
  await prepare(prepared, content);
  try {
    while (!(await linked(prepared, path))) {
      const lock = await readLock(path);
      if (lock === null) continue;
      if (lock.holder !== null && isAlive(lock.holder))
        await sleep(WAIT_MIN_MS + Math.random() * (WAIT_MAX_MS - WAIT_MIN_MS));
      else await removeDead(path, lock.tag);
    }
  } finally {
    await unlinkIfThere(prepared);
  }
  return tagOf(content);
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
    await removeLitter(path);
    await unlinkIfThere(path);
  });
}

/** Named by digest, so a remover of a remover does not make the name longer and longer. */
const removalOf = (path: string, tag: string): string =>
  join(dirname(path), `.dead-${tagOf(`${basename(path)} ${tag}`)}`);

/** What killed processes prepared and never linked. */
async function removeLitter(path: string): Promise<void> {
  const prefix = `${basename(path)}.tmp-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const prepared = join(dirname(path), name);
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
    if (isCode(error, 'ENOENT')) return null;
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
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

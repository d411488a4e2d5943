import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot } from './root.mjs';

const POLL_MS = 100;
const WAIT_MS_MAX = 10 * 60_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Frees a lock whose owner died. An unreadable pid is a lock being made or removed this moment. */
function removeIfDead(file) {
  let owner;
  try {
    owner = Number(readFileSync(file, 'utf8'));
  } catch {
    return;
  }
  if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
}

/** Runs `work` while no other script of this checkout holds the lock of that name. */
export async function withLock(name, work) {
  mkdirSync(inRoot('.cache'), { recursive: true });
  const file = inRoot('.cache', `${name}.lock`);
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    removeIfDead(file);
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${file}; remove it if nothing runs`);
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startClient } from '../../../src/driver/client.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

const BYTES = 180_000;

it('a client has ended when all it said was heard, though a tool holds its output open and nobody had time to read', async () => {
  const cwd = temporaryFolder();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const script = `head -c ${BYTES} /dev/zero; sleep 600 & echo $! >tool; exit 7`;
  const held: (() => void)[] = [];
  let heard = 0;
  const { ended } = startClient(
    { kind: 'claude-stdio', argv: ['sh', '-c', script], cwd },
    { onOutput: (chunk, resume) => void ((heard += chunk.length), held.push(resume)), onTrouble: () => undefined },
  );
  let seen: unknown = null;
  void ended.then((code) => (seen = { code, heard }));
  while (vi.getTimerCount() === 0) await nextTurn();
  onTestFinished(() => {
    vi.useRealTimers();
    process.kill(Number(readFileSync(join(cwd, 'tool'), 'utf8')), 'SIGKILL');
  });
  // It has exited; what it said is written down as slowly as it can be.
  while (seen === null) {
    vi.advanceTimersByTime(60_000);
    await nextTurn();
    held.shift()?.();
    await nextTurn();
  }
  expect(seen).toEqual({ code: 7, heard: BYTES });
});

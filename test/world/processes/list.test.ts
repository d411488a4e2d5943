import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMarked, startAgent, startReadyAgent, temporaryFolder, waitFor } from '../fixtures/process-kit.ts';
import { stopTree } from '../../../src/world/processes/stop-tree.ts';

const LOOKS = 100;

/** A script that never rests, and ends when its file goes. */
function restless(next: string): string {
  const file = join(temporaryFolder(), 'restless');
  writeFileSync(file, `#!/bin/sh\n[ -e '${file}' ] || exit 0\n${next}\n`, { mode: 0o755 });
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

const isSeen = (token: string): boolean => findMarked(token).length > 0;

describe('the list of processes', () => {
  it('finds one that is in the middle of an exec, where its environment reads empty', async () => {
    const agent = await startReadyAgent(`echo ready; exec ${restless('exec "$0"')}`);
    const seen = Array.from({ length: LOOKS }, () => findMarked(agent.token).length);
    // The shim's shell, and what it waits for.
    expect(new Set(seen)).toEqual(new Set([2]));
  });

  it('finds what was started while it was read, though who started it has ended', async () => {
    const file = restless('setsid "$0" &');
    const agent = await startAgent(['/bin/sh', '-c', `${file} & exit 0`]);
    await waitFor('the agent to end', () => existsSync(join(agent.dir, 'exit')));
    const misses = Array.from({ length: LOOKS }, () => isSeen(agent.token)).filter((seen) => !seen);
    expect(misses).toEqual([]);
    rmSync(file);
    expect(await stopTree({ ...agent, graceMs: 1000 })).toMatchObject({ left: 0 });
  });
});

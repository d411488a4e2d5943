import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDisk } from '../../../src/world/os/disk.ts';
import { awaitShim, readShim } from '../../../src/world/processes/shim.ts';
import { itMounts, smallDisk } from '../../small-disk.ts';
import { never, PATIENT, stage } from '../fixtures/agents-kit.ts';
import { startReadyAgent, waitFor } from '../fixtures/process-kit.ts';

const outside = realpathSync(tmpdir());
const disk = smallDisk(8);

function signs(): string {
  const folder = mkdtempSync(join(outside, 'paralph-signs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('an iteration whose disk gets full', () => {
  itMounts('case 60: ends with its exit code, which is kept once there is room; a new one is not begun', async () => {
    const there = signs();
    const script = `touch ${there}/on; until test -e ${there}/go; do sleep 0.05; done; exit 3`;
    const { agents, place, iteration, order, dir } = stage({ agent: { command: ['sh', '-c', script] } });
    const freeMb = openDisk([place.repo.commonDir, join(disk.path, 'not', 'there', 'yet')]);
    expect(freeMb.freeMb()).toBeGreaterThan(2);
    await agents.start(iteration, order);
    await waitFor('the agent', () => existsSync(join(there, 'on')));
    disk.fill();
    onTestFinished(() => disk.free());
    expect(freeMb.freeMb()).toBe(0);
    await expect(agents.start({ ...iteration, n: 2 }, order)).rejects.toMatchObject({ code: 'E_DISK' });
    expect(agents.wasStarted({ ...iteration, n: 2 })).toBe(false);
    writeFileSync(join(there, 'go'), '');
    expect((await agents.finish(iteration, PATIENT)).end).toEqual({ how: 'exited', code: 3 });
    expect(readdirSync(dir).filter((name) => name.startsWith('result.json'))).toEqual([]);
    // The shim had its room before: also who did not start it knows how it ended.
    expect(readShim(dir)).toEqual({ state: 'exited', code: 3 });
    rmSync(join(dir, 'exit'));
    disk.fill();
    expect((await agents.finish(iteration, PATIENT)).end).toEqual({ how: 'exited', code: 3 });
    disk.free();
    const { end } = await agents.finish(iteration, PATIENT);
    expect(end).toEqual({ how: 'exited', code: 3 });
    expect(readdirSync(dir).filter((name) => name.startsWith('result.json'))).toEqual(['result.json']);
    await agents.start({ ...iteration, n: 2 }, order);
    expect((await agents.finish({ ...iteration, n: 2 }, PATIENT)).end).toEqual({ how: 'exited', code: 3 });
  });

  it('ends with its exit code for who started it, though nothing of its folder is left to say so', async () => {
    const { dir, stdout } = await startReadyAgent('echo ready; sleep 0.3; exit 5');
    expect(stdout()).toBe('ready\n');
    rmSync(dir, { recursive: true });
    expect(await awaitShim(dir, { signal: never })).toEqual({ state: 'exited', code: 5 });
    expect(await awaitShim(dir, { signal: never })).toEqual({ state: 'lost' });
  });
});

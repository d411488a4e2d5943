import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Event } from '../../../src/core/model/events.ts';
import { readLogOnly } from '../../../src/world/log/file-log.ts';
import { loosePath } from '../../../src/world/log/log-files.ts';
import { encodeRecord } from '../../../src/world/log/record-line.ts';
import { identityOf } from '../../../src/world/processes/identity.ts';
import type { ProcessIdentity } from '../../../src/world/processes/identity.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive, killAll, processesOf } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

/** Somebody else's process: the leader of its own group, as an agent would be. */
function stranger(): ProcessIdentity {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const identity = identityOf(child.pid ?? 0);
  if (identity === null) throw new Error('the stranger did not start');
  return identity;
}

/** As a power cut or the kernel would: the host and all it started, at once. */
async function killEverything(one: Scratch, host: number): Promise<void> {
  process.kill(host, 'SIGKILL');
  killAll(one.root);
  await until('everything to be dead', () => !isAlive(host) && processesOf(one.root).length === 0);
}

/** Writes another identity wherever one of the dead is named: in the log, in run folders, in a lock. */
async function rename(one: Scratch, now: ProcessIdentity): Promise<void> {
  const state = join(one.repo, '.git/paralph');
  const log = join(state, 'log');
  const records = await readLogOnly<Event>(log).read(0);
  for (const record of records) {
    const events = record.events.map((event) => (event.type === 'host-joined' ? { ...event, mark: now } : event));
    writeFileSync(loosePath(log, record.seq), encodeRecord({ ...record, events }, `renamed-${record.seq}`));
  }
  for (const name of readdirSync(join(state, 'runs'), { recursive: true, encoding: 'utf8' })) {
    const file = join(state, 'runs', name);
    if (name.endsWith('/pid')) writeFileSync(file, `${now.pid}\n`);
    if (!name.endsWith('/identity.json') && !name.endsWith('/start.json')) continue;
    const { token, awakeMs } = JSON.parse(readFileSync(file, 'utf8')) as { token: string; awakeMs?: number };
    writeFileSync(file, JSON.stringify({ ...now, token, starter: now, awakeMs }));
  }
  const lock = join(state, 'locks', 'publish');
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, JSON.stringify({ ...now, nonce: 'of the dead' }));
}

describe('everything was killed, and the pids now belong to others', () => {
  for (const [what, disguise] of [
    ['case 50: after a reboot', { bootId: 'an-earlier-boot' }],
    ['case 48: while the machine stayed up', { startTime: '1' }],
  ] as const) {
    it(`${what}: the run goes on where it was, and no stranger is signalled`, async () => {
      const one = scratch();
      const half = [{ write: { path: 'half.txt', text: 'half' } }, { waitForFile: { path: beside(one, 'never') } }];
      project(one, { tasks: ['a'], agent: { iterations: [half, HONEST] } });
      const host = startRalph(one, ['run', '--parallel']);
      await until('half of the work', () => processesOf(one.root).some(({ isLoops }) => isLoops) && hasHalf(one));
      await killEverything(one, host.pid);
      const other = stranger();
      await rename(one, { ...other, ...disguise });
      const { code, stderr } = await ralph(one, ['run', '--parallel']);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/a continues/);
      expect(starts(one).map(({ iteration }) => iteration)).toEqual([1, 2]);
      expect(landedTasks(one.git, INT)).toEqual(['a']);
      expect(one.git('show', 'main:half.txt')).toBe('half');
      expect(identityOf(other.pid)).toEqual(other);
    });
  }
});

function hasHalf(one: Scratch): boolean {
  return starts(one).some(({ cwd }) => readdirSync(cwd).includes('half.txt'));
}

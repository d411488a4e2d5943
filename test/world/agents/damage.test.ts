import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAgents } from '../../../src/world/agents/agents.ts';
import { findMarked, waitFor } from '../fixtures/process-kit.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';
import type { Stage, StageOptions } from '../fixtures/agents-kit.ts';

const STOPPED = { ...PATIENT, graceMs: 300, signal: AbortSignal.abort() };
const DEAF = `console.log('led'); setTimeout(() => {}, 600000);`;
const talked: StageOptions = { agent: { driver: 'acp', command: ['never-started'] }, driver: DEAF };
const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });
const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'all done', usage: {} });

async function started(options: StageOptions, word: string): Promise<Stage> {
  const staged = stage(options);
  await staged.agents.start(staged.iteration, staged.order);
  await waitFor(word, () => staged.read('stdout.log').includes(word));
  return staged;
}

describe('a run folder that somebody damaged while the agent works', () => {
  for (const [what, damage] of [
    ['without an inbox', (inbox: string) => rmSync(inbox, { recursive: true })],
    ['with a file in place of the inbox', (inbox: string) => replaceByFile(inbox)],
  ] as const) {
    it(`${what}: guidance waits for the next iteration, and a stop still ends everything`, async () => {
      const { agents, iteration, order, dir, read } = await started(talked, 'led');
      damage(join(dir, 'inbox'));
      expect(agents.steer(iteration, { id: 12, text: 'hello' })).toBe(false);
      const finished = await agents.finish(iteration, STOPPED);
      expect(finished).toMatchObject({ end: { how: 'interrupted' }, guided: order.guided });
      expect(findMarked(read('token'))).toEqual([]);
    });
  }

  it('without talk.json: it cannot be spoken to, only be stopped', async () => {
    const { agents, iteration, dir, read } = await started(talked, 'led');
    rmSync(join(dir, 'talk.json'));
    expect(agents.steer(iteration, { id: 12, text: 'hello' })).toBe(false);
    expect((await agents.finish(iteration, STOPPED)).end).toEqual({ how: 'interrupted' });
    expect(findMarked(read('token'))).toEqual([]);
  });

  it('without the token file: its processes are still found', async () => {
    const { agents, iteration, dir, read } = await started(
      { agent: { command: ['sh', '-c', 'echo on; sleep 300'] } },
      'on',
    );
    const token = read('token');
    rmSync(join(dir, 'token'));
    expect((await agents.finish(iteration, STOPPED)).end).toEqual({ how: 'interrupted' });
    expect(findMarked(token)).toEqual([]);
  });

  for (const [what, put] of [
    ['a link', (file: string) => symlinkSync('/dev/zero', file)],
    ['a folder', (file: string) => mkdirSync(file)],
    ['nothing', () => {}],
  ] as const) {
    it(`with ${what} in place of its output: it failed, and says so`, async () => {
      const script = `echo on; until [ -e "$RALPH_WORKTREE/go" ]; do sleep 0.05; done; echo '${result}'`;
      const claude = { driver: 'claude', command: ['sh', '-c', script] } as const;
      const { agents, iteration, dir } = await started({ agent: claude }, 'on');
      rmSync(join(dir, 'stdout.log'));
      put(join(dir, 'stdout.log'));
      writeFileSync(join(iteration.cwd, 'go'), '');
      const finished = await agents.finish(iteration, PATIENT);
      expect(finished.end).toEqual({ how: 'exited', code: 0 });
      expect(finished.report).toMatchObject({ isTerminal: false, finalText: '' });
    });
  }

  for (const damaged of [
    '{"name":',
    '[]',
    '{"name":5,"account":{},"protocol":["text"],"guided":"x","maxTurns":"y","price":1}',
  ]) {
    it(`with ${damaged} for agent.json: its output is read by its shape`, async () => {
      const { agents, iteration, dir } = await started(
        { agent: { driver: 'claude', command: ['sh', '-c', `echo '${init}'; echo '${result}'`] } },
        'all done',
      );
      writeFileSync(join(dir, 'agent.json'), damaged);
      const finished = await agents.finish(iteration, PATIENT);
      expect(finished).toMatchObject({ agent: 'unknown', account: 'unknown', guided: 0 });
      expect(finished.report).toMatchObject({ isTerminal: true, finalText: 'all done' });
    });
  }
});

describe('a run folder that cannot be written', () => {
  for (const name of ['prompt.md', 'agent.json', 'talk.json', 'inbox', 'stdout.log']) {
    it(`because of ${name}: nothing is started, and the error has a code`, async () => {
      const { agents, iteration, order, dir } = stage(talked);
      mkdirSync(join(dir, name, 'x'), { recursive: true });
      if (name === 'inbox') replaceByFile(join(dir, name));
      await expect(agents.start(iteration, order)).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
      expect(agents.wasStarted(iteration)).toBe(false);
    });
  }
});

describe('a clock that is set while an iteration runs', () => {
  it('back by a month: it gets no more time than it was given', async () => {
    const { place, iteration } = await started({ agent: { command: ['sh', '-c', 'echo on; sleep 300'] } }, 'on');
    const clock = { ...place.clock, nowMs: () => place.clock.nowMs() - 30 * 86_400_000 };
    const { end, durationMs } = await openAgents({ ...place, clock }).finish(iteration, {
      ...PATIENT,
      timeoutMs: 1000,
    });
    expect(end).toEqual({ how: 'timed-out' });
    expect(durationMs).toBeGreaterThanOrEqual(0);
  });
});

describe('a result', () => {
  it('is given back though it could not be kept, and then the log keeps everything', async () => {
    const staged = await started(
      { agent: { command: ['sh', '-c', 'yes | head -c 3000000; echo on'] }, limits: { logMb: 1 } },
      'on',
    );
    mkdirSync(join(staged.dir, 'result.json'));
    const finished = await staged.agents.finish(staged.iteration, PATIENT);
    expect(finished.end).toEqual({ how: 'exited', code: 0 });
    expect(staged.read('stdout.log')).toHaveLength(3_000_003);
  });

  it('of two hosts that finish one iteration is the same: the first one counts', async () => {
    const { place, agents, iteration } = await started(
      { agent: { command: ['sh', '-c', 'echo on; sleep 300'] } },
      'on',
    );
    const stop = new AbortController();
    const slow = agents.finish(iteration, { ...PATIENT, signal: stop.signal });
    const first = await openAgents(place).finish(iteration, STOPPED);
    expect(await slow).toEqual(first);
  });

  it('that is none is made anew', async () => {
    const { agents, iteration, dir } = await started({ agent: { command: ['sh', '-c', 'echo on; exit 3'] } }, 'on');
    writeFileSync(join(dir, 'result.json'), '{}');
    expect((await agents.finish(iteration, PATIENT)).end).toEqual({ how: 'exited', code: 3 });
    expect((await agents.finish(iteration, PATIENT)).end).toEqual({ how: 'exited', code: 3 });
  });
});

function replaceByFile(folder: string): void {
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
}

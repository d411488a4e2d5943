import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAgents } from '../../../src/world/agents/agents.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';
import { bundleFixture } from '../fixtures/process-bundle.ts';
import { temporaryFolder, waitFor } from '../fixtures/process-kit.ts';
import type { Stage } from '../fixtures/agents-kit.ts';

const said = (id: number): string =>
  JSON.stringify({
    type: 'assistant',
    message: {
      id: `m${id}`,
      content: [{ type: 'text', text: `word ${id}` }],
      usage: { input_tokens: 5, output_tokens: 10 },
    },
  });
const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'all done', usage: {} });

/** Starts the iteration in a host of its own and kills that host once the agent has said something. */
async function startAndDie({ place, iteration, order, read }: Stage): Promise<void> {
  const host = await bundleFixture('agents-host');
  const json = JSON.stringify({ place, agents: [...place.agents], iteration, order });
  const child = spawn(process.execPath, [host, json], { stdio: ['ignore', 'pipe', 'inherit'] });
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the host died by itself')));
  await Promise.race([once(child.stdout, 'data'), died]);
  died.catch(() => {});
  await waitFor('the first word', () => read('stdout.log').includes('word 1'));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('an iteration whose host was killed', () => {
  it('goes on, and another host reads all of it from the beginning by what the run folder says', async () => {
    const go = join(temporaryFolder(), 'go');
    const script = `echo '${said(1)}'; while [ ! -e "${go}" ]; do sleep 0.1; done; echo '${said(2)}'; echo '${result}'`;
    const staged = stage({ agent: { driver: 'claude', command: ['sh', '-c', script], account: 'shared' } });
    await startAndDie(staged);
    // The second host was configured otherwise: what counts is how the iteration was started.
    const agents = openAgents({ ...staged.place, agents: new Map() });
    const { iteration } = staged;
    expect(agents.wasStarted(iteration)).toBe(true);
    const token = staged.read('token');
    await expect(staged.agents.start(iteration, staged.order)).rejects.toMatchObject({ code: 'E_BUSY' });
    expect(staged.read('token')).toBe(token);
    writeFileSync(go, '');
    const finished = await agents.finish(iteration, PATIENT);
    expect(finished).toMatchObject({ agent: 'tested', account: 'shared', guided: 7, end: { how: 'exited', code: 0 } });
    expect(finished.report).toMatchObject({ finalText: 'all done', isTerminal: true });
    expect(finished.report.usage.turns).toBe(2);
  });

  it('is still watched: the turn cap holds with the answers the first host saw', async () => {
    const go = join(temporaryFolder(), 'go');
    const script = `echo '${said(1)}'; while [ ! -e "${go}" ]; do sleep 0.1; done; echo '${said(2)}'; sleep 300`;
    const staged = stage({ agent: { driver: 'claude', command: ['sh', '-c', script], maxTurns: 1 } });
    await startAndDie(staged);
    writeFileSync(go, '');
    const { end } = await staged.agents.finish(staged.iteration, PATIENT);
    expect(end).toEqual({ how: 'stopped', why: 'turns', detail: 'more than 1 turns' });
  });
});

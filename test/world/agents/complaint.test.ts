import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/core/model/failure.ts';
import { completeAgent } from '../../../src/text/agents/known.ts';
import { rootRefusal } from '../../../src/world/agents/choose-agent.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';

const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });

async function failureOf(script: string): Promise<Failure | null> {
  const { agents, iteration, order } = stage({ agent: { driver: 'claude', command: ['sh', '-c', script] } });
  await agents.start(iteration, order);
  return (await agents.finish(iteration, PATIENT)).report.failure;
}

describe('a client that dies without a word of its protocol', () => {
  it('failed for the reason it gave last among its errors', async () => {
    const script = String.raw`printf 'loading\n\033[31mcannot be used with root privileges\033[0m\n\n' >&2; exit 1`;
    expect(await failureOf(script)).toEqual({
      kind: 'unfinished',
      message: 'exit 1: cannot be used with root privileges',
    });
  });

  it('is believed that it may not begin, and not what it says of a work that began', async () => {
    const complaint = 'echo "Not logged in. Please run /login" >&2; exit 1';
    expect(await failureOf(complaint)).toMatchObject({ kind: 'auth' });
    expect(await failureOf(`echo '${init}'; ${complaint}`)).toMatchObject({ kind: 'unfinished' });
  });

  it('case 43: cannot be started, by its exit code, unless it said something or the prompt is what is wrong', async () => {
    expect(await failureOf('no-such-tool-anywhere')).toEqual({
      kind: 'missing',
      message: expect.stringMatching(/^exit 127: .*no-such-tool-anywhere: .*not found$/) as string,
    });
    expect(await failureOf('exit 126')).toEqual({ kind: 'missing', message: 'exit 126' });
    expect(await failureOf(`echo '${init}'; exit 127`)).toBe(null);
    expect(await failureOf('echo "sh: agent: Argument list too long" >&2; exit 126')).toMatchObject({
      kind: 'unfinished',
    });
  });

  it('has no reason where it gave none', async () => {
    expect(await failureOf('exit 1')).toBe(null);
    expect(await failureOf('echo warned >&2; exit 0')).toBe(null);
  });
});

describe('rootRefusal', () => {
  it('is for Claude as root outside of a sandbox', () => {
    const claude = completeAgent('claude', {});
    const codex = completeAgent('codex', {});
    if (claude === null || codex === null) throw new Error('both are known');
    expect(rootRefusal('claude', claude, {}, 0)).toMatchObject({
      remedy: 'ralph config set agents.claude.env.IS_SANDBOX 1',
    });
    expect(rootRefusal('claude', claude, { IS_SANDBOX: '1' }, 0)).toBe(null);
    expect(rootRefusal('claude', claude, {}, 1000)).toBe(null);
    expect(rootRefusal('codex', codex, {}, 0)).toBe(null);
  });
});

import { describe, expect, it } from 'vitest';
import { completeAgent, KNOWN_AGENTS } from './known.ts';

describe('completeAgent', () => {
  it('knows the usual clients without a table, in a fixed order of choice', () => {
    expect([...KNOWN_AGENTS.keys()]).toEqual(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi']);
    expect(completeAgent('claude', undefined)).toMatchObject({
      driver: 'claude',
      command: ['claude'],
      account: 'claude',
    });
  });

  it('takes a name nobody knows for a plain command, and only if there is one', () => {
    expect(completeAgent('mine', { command: ['mine', '-p'] })).toMatchObject({
      driver: 'text',
      command: ['mine', '-p'],
      stallMs: null,
      account: 'mine',
    });
    expect(completeAgent('mine', { model: 'x' })).toBeNull();
    expect(completeAgent('constructor', undefined)).toBeNull();
  });

  it('lays the table over what is known', () => {
    const agent = completeAgent('claude', { command: ['/opt/claude'], passEnv: ['X'], env: { A: '1' }, model: 'm' });
    expect(agent).toMatchObject({ driver: 'claude', command: ['/opt/claude'], model: 'm' });
    expect(agent?.passEnv).toContain('ANTHROPIC_*');
    expect(agent?.passEnv).toContain('X');
    expect(agent?.env).toMatchObject({ A: '1', CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' });
  });

  it('drops the flags of the usual driver when another one is chosen', () => {
    expect(completeAgent('gemini', undefined)?.command).toEqual(['gemini', '--acp', '--approval-mode=yolo']);
    expect(completeAgent('gemini', { driver: 'jsonl' })?.command).toEqual(['gemini']);
  });

  it('watches for silence only where a driver tells what it does', () => {
    expect(completeAgent('claude', undefined)?.stallMs).toBe(1_800_000);
    expect(completeAgent('claude', { driver: 'text' })?.stallMs).toBeNull();
    expect(completeAgent('mine', { command: ['x'], stallMs: 5 })?.stallMs).toBe(5);
  });
});

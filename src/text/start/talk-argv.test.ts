import { expect, it } from 'vitest';
import { completeAgent } from '../agents/known.ts';
import { talkArgv } from './talk-argv.ts';

const PLUGIN = ['--plugin-dir', '/our/plugin'];

it('an agent to talk to is started without what loops need', () => {
  const argv = (
    name: string,
    table: Parameters<typeof completeAgent>[1],
    opening: string | null = null,
  ): readonly string[] => {
    const agent = completeAgent(name, table);
    if (agent === null) throw new Error('not known');
    return talkArgv(name, agent, opening, '/our/plugin');
  };
  expect(argv('claude', undefined)).toEqual(['claude', ...PLUGIN]);
  expect(argv('gemini', undefined)).toEqual(['gemini']);
  expect(argv('gemini', { model: 'm' })).toEqual(['gemini', '--model', 'm']);
  expect(argv('claude', { command: ['npx', 'claude'] })).toEqual(['npx', 'claude', ...PLUGIN]);
  expect(argv('codex', { model: 'm', args: ['--own', 'x y'] })).toEqual(['codex', '--model', 'm', '--own', 'x y']);
  expect(argv('own', { command: ['my-agent', '--ask'], model: 'm' })).toEqual(['my-agent', '--ask']);
  // What it is told first is one word, wherever that client takes it, and never a flag.
  expect(argv('claude', { model: 'm', args: ['--add-dir', 'x'] }, 'log $(people) in')).toEqual([
    'claude',
    'log $(people) in',
    ...PLUGIN,
    '--model',
    'm',
    '--add-dir',
    'x',
  ]);
  expect(argv('codex', undefined, '--help me')).toEqual(['codex', ' --help me']);
  expect(argv('gemini', undefined, 'x y')).toEqual(['gemini', '--prompt-interactive', 'x y']);
  expect(argv('opencode', undefined, 'x y')).toEqual(['opencode', '--prompt', 'x y']);
  expect(argv('copilot', undefined, '@x')).toEqual(['copilot', '--interactive', ' @x', ...PLUGIN]);
  expect(argv('own', { command: ['my-agent'], args: ['--ask'] }, 'x\ny')).toEqual(['my-agent', '--ask', 'x\ny']);
});

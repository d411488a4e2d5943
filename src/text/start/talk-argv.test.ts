import { expect, it } from 'vitest';
import { completeAgent } from '../agents/known.ts';
import { talkArgv } from './talk-argv.ts';

it('an agent to talk to is started without what loops need', () => {
  const argv = (name: string, table: Parameters<typeof completeAgent>[1]): readonly string[] => {
    const agent = completeAgent(name, table);
    if (agent === null) throw new Error('not known');
    return talkArgv(name, agent);
  };
  expect(argv('claude', undefined)).toEqual(['claude']);
  expect(argv('gemini', undefined)).toEqual(['gemini']);
  expect(argv('gemini', { model: 'm' })).toEqual(['gemini', '--model', 'm']);
  expect(argv('claude', { command: ['npx', 'claude'] })).toEqual(['npx', 'claude']);
  expect(argv('own', { command: ['my-agent', '--ask'], model: 'm' })).toEqual(['my-agent', '--ask']);
});

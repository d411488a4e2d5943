import { AppError } from '../../../core/model/errors.ts';
import { loopAround } from '../../../world/loops/inside-loop.ts';
import type { Call } from '../../call/handler.ts';

/**
 * Some commands are a person's word: what lands in spite of a rule, which task starts again, what a loop is told. An
 * agent that helps itself to them would approve its own work, or begin it anew for ever.
 */
export function refuseInLoop({ env, cwd }: Call, command: string): void {
  const around = loopAround(env, cwd);
  if (around === null) return;
  const { loop, by } = around;
  const where = by === 'start' ? `loop ${loop}` : `the worktree of a loop whose agent is at work: ${loop}`;
  throw new AppError('E_NESTED', `ralph ${command} is for people, and this is ${where}`, {
    facts: ['an agent says what it needs, and a person decides'],
    remedy: `ralph block "please run: ralph ${command}"`,
  });
}

/** One handler may have two names, and whoever typed one of them does not know the other. */
export function typedName({ words }: Call, otherwise: string): string {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  return first === 'loops' && second !== undefined ? `loops ${second}` : otherwise;
}

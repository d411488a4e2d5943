import type { AgentSettings } from '../../core/settings.ts';
import { KNOWN_AGENTS } from '../agents/known.ts';

/** The command line of an agent a person talks to: what loops add to it would make it deaf. */
export function talkArgv(name: string, { command, driver, model }: AgentSettings): readonly string[] {
  const known = KNOWN_AGENTS.get(name)?.command;
  const isKnown =
    known !== undefined && known.length === command.length && known.every((word, at) => word === command[at]);
  const words = isKnown ? command.slice(0, 1) : command;
  return model === null || driver === 'text' ? words : [...words, '--model', model];
}

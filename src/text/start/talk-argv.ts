import type { AgentSettings } from '../../core/settings.ts';
import { KNOWN_AGENTS } from '../agents/known.ts';

/** Where a client takes what it is told first; every other takes it as its last word. */
const OPENING_FLAGS: ReadonlyMap<string, string> = new Map([
  ['gemini', '--prompt-interactive'],
  ['qwen', '--prompt-interactive'],
  ['opencode', '--prompt'],
  ['copilot', '--interactive'],
]);

/**
 * The command line of an agent a person talks to: what loops add to it would make it deaf. `opening` is what it is told first, null
 * for nothing.
 */
export function talkArgv(
  name: string,
  { command, driver, model }: AgentSettings,
  opening: string | null,
): readonly string[] {
  const known = KNOWN_AGENTS.get(name)?.command;
  const isKnown =
    known !== undefined && known.length === command.length && known.every((word, at) => word === command[at]);
  const words = isKnown ? command.slice(0, 1) : command;
  const started = model === null || driver === 'text' ? words : [...words, '--model', model];
  if (opening === null) return started;
  const flag = isKnown ? OPENING_FLAGS.get(name) : undefined;
  return [...started, ...(flag === undefined ? [] : [flag]), asWord(opening)];
}

/** No text may pass for a flag or a file of theirs. */
const asWord = (text: string): string => (/^[-@]/.test(text) ? ` ${text}` : text);

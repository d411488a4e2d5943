import type { AgentSettings } from '../../core/model/settings.ts';
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
 * for nothing; `plugin` is the folder of ours.
 */
export function talkArgv(
  name: string,
  { command, driver, model, args }: AgentSettings,
  opening: string | null,
  plugin: string,
): readonly string[] {
  const known = KNOWN_AGENTS.get(name)?.command;
  const isKnown =
    known !== undefined && known.length === command.length && known.every((word, at) => word === command[at]);
  const words = isKnown ? command.slice(0, 1) : command;
  const flag = isKnown ? OPENING_FLAGS.get(name) : undefined;
  const told = opening === null ? [] : [...(flag === undefined ? [] : [flag]), asWord(opening)];
  if (driver === 'text') return [...words, ...args, ...told];
  const hasPlugins = driver === 'claude' || driver === 'claude-stdio' || (isKnown && name === 'copilot');
  const plugged = hasPlugins ? ['--plugin-dir', plugin] : [];
  const modelled = model === null ? [] : ['--model', model];
  // First what it is told: a flag that takes several words would take that, too.
  return [...words, ...told, ...plugged, ...modelled, ...args];
}

/** No text may pass for a flag or a file of theirs. */
const asWord = (text: string): string => (/^[-@]/.test(text) ? ` ${text}` : text);

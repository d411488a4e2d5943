import { AppError } from '../../../core/model/errors.ts';
import { allTaskViews } from '../../../core/views/view.ts';
import { standing } from '../../../core/views/standing.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { KNOWN_AGENTS } from '../../../text/agents/known.ts';
import type { Shell } from '../../../text/shell/completion.ts';
import { completionScript, SHELLS } from '../../../text/shell/completion.ts';
import type { CommandSpec, FlagSpec } from '../../call/command-spec.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { openTasksIfAny } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';

/** A word that may come next, and what it is. */
interface Word {
  readonly value: string;
  readonly about: string;
}

const ABOUT_CHARS_MAX = 60;
/** What a shell takes as one word whatever it holds; a task with another name is typed by hand. */
const PLAIN = /^[\w.@%+,/-]+$/;
const isShell = (word: string): word is Shell => SHELLS.some((shell) => shell === word);

/** The script for a shell; or, for the script, what may come next. */
export async function completeCommands(call: Call, commands: readonly CommandSpec[]): Promise<Answer> {
  const [asked = '', ...typed] = call.args;
  if (isShell(asked)) return { data: null, text: completionScript(asked).trimEnd() };
  if (asked !== 'words')
    throw new AppError('E_USAGE', `${JSON.stringify(asked)}: no completion for this shell`, {
      facts: [`known: ${SHELLS.join(', ')}`],
      remedy: 'ralph completion bash',
    });
  const words = await wordsAfter(call, typed, commands);
  const current = typed.at(-1) ?? '';
  const fitting = words.filter(({ value }) => value.startsWith(current) && PLAIN.test(value));
  const lines = new Map(fitting.map(({ value, about }) => [value, `${value}\t${shortLine(about, ABOUT_CHARS_MAX)}`]));
  return { data: null, text: [...lines.values()].join('\n') };
}

async function wordsAfter(
  call: Call,
  typed: readonly string[],
  commands: readonly CommandSpec[],
): Promise<readonly Word[]> {
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const names = before.filter((word) => !word.startsWith('-'));
  const spec = specOf(names, commands);
  if (spec !== null && before.length > 0) {
    const last = before.at(-1) ?? '';
    const flag = spec.flags.find((one) => takesValue(one) && namesOf(one).includes(last));
    if (flag !== undefined) return valuesOf(call, flag);
  }
  if (current.startsWith('-')) return spec === null ? GLOBAL : [...spec.flags.flatMap(flagWords), ...GLOBAL];
  const deeper = subcommands(names, commands);
  if (deeper.length > 0) return deeper;
  return spec === null ? [] : argumentsOf(call, spec);
}

const GLOBAL: readonly Word[] = [
  { value: '--help', about: 'examples and every flag' },
  { value: '-h', about: 'the short form of it' },
];

const specOf = ([first = '', second = '']: readonly string[], commands: readonly CommandSpec[]): CommandSpec | null =>
  commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first) ?? null;

/** The next word of a command's name. */
function subcommands(names: readonly string[], commands: readonly CommandSpec[]): readonly Word[] {
  if (names.length > 1) return [];
  const found = new Map<string, string>();
  for (const { name, summary } of commands) {
    const parts = name.split(' ');
    if (names.length === 1 && parts[0] !== names[0]) continue;
    const word = parts[names.length];
    if (word !== undefined && !found.has(word)) found.set(word, parts.length === names.length + 1 ? summary : '');
  }
  return [...found].map(([value, about]) => ({ value, about }));
}

const namesOf = ({ flag }: FlagSpec): readonly string[] => flag.split(/[ ,]+/).filter((part) => part.startsWith('-'));
const takesValue = ({ flag }: FlagSpec): boolean => flag.includes('<');
const flagWords = (flag: FlagSpec): readonly Word[] =>
  namesOf(flag)
    .filter((name) => name.startsWith('--'))
    .map((value) => ({ value, about: flag.description }));

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '--merge-policy': ['manual', 'auto_merge', 'pr'],
  '--publish': ['end', 'each', 'manual'],
  '--agent': [...KNOWN_AGENTS.keys()],
  '--run': ['last', 'all'],
};

async function valuesOf(call: Call, flag: FlagSpec): Promise<readonly Word[]> {
  const chosen = namesOf(flag).flatMap((name) => CHOICES[name] ?? []);
  if (chosen.length > 0) return chosen.map((value) => ({ value, about: '' }));
  return flag.flag.includes('<id>') ? ids(call) : [];
}

function argumentsOf(call: Call, { name, argument }: CommandSpec): readonly Word[] | Promise<readonly Word[]> {
  if (argument === null) return [];
  if (name === 'completion') return SHELLS.map((value) => ({ value, about: '' }));
  return /[<[](?:id|task|loop)\b/i.test(argument.name) ? ids(call) : [];
}

/** Tasks and loops that are not over come first. Where nothing can be read there is nothing to offer. */
async function ids(call: Call): Promise<readonly Word[]> {
  try {
    const quiet = { ...call, out: { ...call.out, say: () => {} } };
    const project = await openProject(quiet);
    const { tracker, state } = await openTasksIfAny(project, await readState(project.repo));
    const tasks = allTaskViews(state, tracker).map(({ id, state: where, title }) => ({ id, where, title }));
    const loops = loopsOf(state).map((loop) => ({
      id: loop.id,
      where: standing(state, loop).state,
      title: loop.title,
    }));
    const isOver = (where: string): number => Number(where === 'landed' || where === 'done' || where === 'discarded');
    return [...tasks, ...loops]
      .toSorted((a, b) => isOver(a.where) - isOver(b.where))
      .map(({ id, where, title }) => ({ value: id, about: `${where}: ${title}` }));
  } catch {
    return [];
  }
}

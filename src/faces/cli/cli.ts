import { dirname } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { ExitCode } from '../../core/model/errors.ts';
import { AppError, EXIT } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { nearest } from '../../text/config/nearest.ts';
import { hearWaits } from '../../world/processes/mutex-waits.ts';
import type { CommandSpec } from '../call/command-spec.ts';
import type { Call } from '../call/handler.ts';
import { callCommand, makeCall } from '../call/make-call.ts';
import type { Told } from '../call/make-call.ts';
import { openOutput } from '../call/output.ts';
import type { Output } from '../call/output.ts';
import { printAnswer } from './show/print-answer.ts';
import { takeColor } from './show/take-color.ts';
import { shortHelp } from './show/short-help.ts';
import { reportError } from './show/report-error.ts';
import { COMMANDS } from './tables/table.ts';

/** Parses the words, loads the one command they name, and turns whatever happens into an exit code. */
export async function runCli(
  typed: readonly string[],
  version: string,
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'> = process,
): Promise<ExitCode> {
  const wantsJson = typed.includes('--json') || typed.includes('--events');
  const { words, color, fault } = takeColor(typed);
  const out = openOutput(process.env, { stdout, stderr }, { isForPeople: !wantsJson, color });
  hearWaits({ tell: (text) => out.say(out.style.yellow(`warning: ${text}`)) });
  const refused: AppError[] = [];
  try {
    if (fault !== null) throw fault;
    refuseUnknown(words);
    const short = shortHelp(words, COMMANDS);
    if (short !== null) {
      out.data(short);
      return EXIT.ok;
    }
    const isBare = words.length === 0 || (words.length === 2 && words[0] === '-C');
    const chosen: Told[] = [];
    const program = buildProgram(version, commandsFor(words), (one) => chosen.push(one));
    for (const command of [program, ...allBelow(program)]) own(command, out, (error) => refused.push(error));
    await program.parseAsync(withOldBeads(words), { from: 'user' });
    const [one] = chosen;
    if (one === undefined) return isBare ? await atHome(program, out, words) : EXIT.ok;
    const call = callOf(one, program, out, words);
    const answer = await callCommand(one.spec, call);
    return typeof answer === 'number' ? answer : printAnswer(call, answer);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, out, wantsJson, version);
    const [why] = refused;
    if (why !== undefined) return reportError(why, out, wantsJson, version);
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** A shell makes many words of `--tasks FOLDER/*.jsonl`: an old store of Beads is one list, whatever it is kept in. */
function withOldBeads(words: readonly string[]): string[] {
  const from = words.indexOf('--tasks') + 1;
  const rest = words.slice(from);
  const count = rest.findIndex((word) => !word.endsWith('.jsonl'));
  const files = count === -1 ? rest : rest.slice(0, count);
  const folders = new Set(files.map((file) => dirname(file)));
  const [folder = '.'] = folders;
  const isOldBeads = from > 0 && files.length > 1 && folders.size === 1;
  return isOldBeads ? [...words.slice(0, from), `${folder}/*.jsonl`, ...rest.slice(files.length)] : [...words];
}

/** Before commander looks at flags and finds those of a command unknown that it does not know either. */
function refuseUnknown(words: readonly string[]): void {
  const [first, second] = [...words].slice(words[0] === '-C' ? 2 : words[0] === 'help' ? 1 : 0);
  const namesFrom = (at: number, specs: readonly CommandSpec[]): readonly string[] => [
    ...new Set(specs.flatMap((spec) => spec.name.split(' ')[at] ?? [])),
    'help',
  ];
  const isUnknown = (word: string | undefined, names: readonly string[]): word is string =>
    word !== undefined && !word.startsWith('-') && !names.includes(word);
  const firsts = namesFrom(0, COMMANDS);
  if (isUnknown(first, firsts)) throw unknownCommand('', first, firsts);
  const below = COMMANDS.filter((spec) => spec.name.startsWith(`${first} `));
  const seconds = namesFrom(1, below);
  if (below.length > 0 && isUnknown(second, seconds)) throw unknownCommand(first ?? '', second, seconds);
}

/** A word that more commands end with says nothing. */
const GUESSES_MAX = 3;

/** `above`: the command that has none of that name below it; empty: ours as a whole. */
function unknownCommand(above: string, word: string, known: readonly string[]): AppError {
  const names = COMMANDS.map(({ name }) => name);
  // Those of `task` are those of `tasks`.
  const elsewhere = names.filter((name) => ` ${name}`.endsWith(` ${word}`) && !name.startsWith('task '));
  const isClear = elsewhere.length > 0 && elsewhere.length <= GUESSES_MAX;
  const close = isClear ? null : nearest(word, known);
  const meant = isClear ? elsewhere : close === null ? [] : [close];
  const guess = meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`;
  const path = ['ralph', isClear ? '' : above, meant[0] ?? ''].filter((part) => part !== '').join(' ');
  return new AppError('E_USAGE', `unknown command ${JSON.stringify(`${above} ${word}`.trim())}${guess}`, {
    remedy: `${path} --help`,
  });
}

/** A known first word needs only its own commands; anything else (help, a typo) needs all of them. */
function commandsFor([first = '']: readonly string[]): readonly CommandSpec[] {
  const named = COMMANDS.filter((spec) => spec.name.split(' ')[0] === first);
  return named.length > 0 ? named : COMMANDS;
}

function buildProgram(version: string, commands: readonly CommandSpec[], onChosen: (chosen: Told) => void): Command {
  const program = new Command('ralph')
    .description('Run many coding-agent loops at once on one git repository and land their work.')
    .version(version, '-V, --version', 'print the version')
    .option('-C <folder>', 'act as if started in this folder')
    // For the help alone: it is taken before anything is parsed.
    .option('--color <when>', 'colours: auto, always or never')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText(
      'after',
      '\nExit codes: 0 all landed or ready, 1 some parked, 2 usage, 3 bad config or task file, 4 environment,\n5 busy, 6 needs a person, 7 limit, 70 bug, 130 interrupted, 143 terminated.\n\nStart here: ralph demo, then ralph init',
    );
  // Without a command it is told where things stand.
  program.action(() => {});
  program.addHelpText('before', examplesText(['ralph demo', 'ralph init', 'ralph run "make the header sticky"']));
  const parents = new Map<string, Command>();
  for (const spec of commands) addCommand(program, parents, spec, onChosen);
  for (const command of [program, ...parents.values()]) if (command.commands.length > 0) command.helpCommand(true);
  return program;
}

function addCommand(
  program: Command,
  parents: Map<string, Command>,
  spec: CommandSpec,
  onChosen: (chosen: Told) => void,
): void {
  const [first = '', second] = spec.name.split(' ');
  const parent = second === undefined ? program : (parents.get(first) ?? newParent(program, parents, first));
  const command = parent
    .command(second ?? first)
    .description(spec.summary)
    // Somebody who types more means more: a word left out would be a task not reset, or half a value set.
    .allowExcessArguments(false)
    .helpGroup(`${spec.group}:`);
  // A command may be called by itself and have others below it.
  if (second === undefined) parents.set(first, command);
  for (const argument of spec.argument?.name.split(' ') ?? [])
    command.argument(argument, spec.argument?.description ?? '');
  for (const flag of spec.flags) {
    if (flag.repeats === true)
      command.option(flag.flag, flag.description, (value: string, all: string[] | undefined) => [
        ...(all ?? []),
        value,
      ]);
    else command.option(flag.flag, flag.description);
  }
  command.addHelpText('before', examplesText(spec.examples));
  command.action((...received: unknown[]) => {
    // A flag that the command above has too is taken by that one.
    const flags = command.optsWithGlobals<Call['flags']>();
    const args = received
      .slice(0, -2)
      .flat()
      .filter((arg): arg is string => typeof arg === 'string');
    onChosen({ spec, args, flags });
  });
}

const examplesText = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`;

function newParent(program: Command, parents: Map<string, Command>, name: string): Command {
  const below = COMMANDS.filter((spec) => spec.name.startsWith(`${name} `));
  const group = below[0]?.group ?? 'Watch';
  const names = below.map((spec) => spec.name.slice(name.length + 1));
  const parent = program
    .command(name)
    .description(`${names.join(', ')}`)
    .addHelpText('before', examplesText(below.flatMap((spec) => spec.examples.slice(0, 1))))
    .helpGroup(`${group}:`);
  parents.set(name, parent);
  return parent;
}

const allBelow = (command: Command): readonly Command[] =>
  command.commands.flatMap((child) => [child, ...allBelow(child)]);

/** Commander must neither exit nor print by itself: exit codes and the look of errors are ours. */
function own(command: Command, out: Output, onRefused: (error: AppError) => void): void {
  command.exitOverride();
  command.showSuggestionAfterError(true);
  command.configureOutput({
    writeOut: (text) => out.data(text.trimEnd()),
    writeErr: (text) => out.say(text.trimEnd()),
    outputError: (text) => onRefused(usageError(command, text)),
  });
}

function usageError(command: Command, text: string): AppError {
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  return new AppError('E_USAGE', `${message}${longFlagFor(command, message)}`, { remedy: `${pathOf(command)} --help` });
}

/** For an unknown flag of one letter commander has no guess: one that begins with that letter is. */
function longFlagFor(command: Command, message: string): string {
  const letter = /^unknown option '-(\w)'/.exec(message)?.[1];
  if (letter === undefined) return '';
  const long = command
    .createHelp()
    .visibleOptions(command)
    .concat(command.createHelp().visibleGlobalOptions(command))
    .find((option) => option.long?.startsWith(`--${letter}`) === true)?.long;
  return long === undefined ? '' : ` (Did you mean ${long}?)`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

async function atHome(program: Command, out: Output, words: readonly string[]): Promise<ExitCode> {
  const folder = program.opts<{ C?: string }>().C;
  if (folder !== undefined) changeFolder(folder);
  const { home } = await import('./commands/home.ts');
  const none = { args: [], flags: {}, settings: new Map<string, string>(), flagOf: new Map<string, string>() };
  return home({ ...none, cwd: process.cwd(), env: process.env, out, words });
}

function callOf(chosen: Told, program: Command, out: Output, words: readonly string[]): Call {
  const folder = program.opts<{ C?: string }>().C;
  if (folder !== undefined) changeFolder(folder);
  return makeCall(chosen, { cwd: process.cwd(), env: process.env, out, words });
}

function changeFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    throw new AppError('E_USAGE', `-C ${folder}: cannot go there`, { cause, remedy: `ls -d ${shellWord(folder)}` });
  }
}

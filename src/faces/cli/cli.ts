import { Command, CommanderError } from 'commander';
import { invariant } from '../../core/assert.ts';
import type { ExitCode } from '../../core/errors.ts';
import { AppError, EXIT } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { nearest } from '../../text/config/nearest.ts';
import { hearWaits } from '../../world/mutex-listener.ts';
import type { Call } from './handler.ts';
import { openOutput } from './output.ts';
import type { Output } from './output.ts';
import { reportError } from './report-error.ts';
import { COMMANDS } from './table.ts';
import type { CommandSpec } from './command-spec.ts';

/** Parses the words, loads the one command they name, and turns whatever happens into an exit code. */
export async function runCli(
  words: readonly string[],
  version: string,
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'> = process,
): Promise<ExitCode> {
  const out = openOutput(process.env, stdout, stderr);
  hearWaits({ tell: (text) => out.say(out.style.yellow(`warning: ${text}`)) });
  const wantsJson = words.includes('--json') || words.includes('--events');
  const refused: AppError[] = [];
  try {
    const chosen: Chosen[] = [];
    const program = buildProgram(version, commandsFor(words), (one) => chosen.push(one));
    for (const command of [program, ...allBelow(program)]) own(command, out, (error) => refused.push(error));
    await program.parseAsync([...words], { from: 'user' });
    const [one] = chosen;
    if (one === undefined) return EXIT.ok;
    const { handle } = await one.spec.load();
    return await handle(callOf(one, program, out, words));
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, out, wantsJson, version);
    const [why] = refused;
    if (why !== undefined) return reportError(why, out, wantsJson, version);
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** `above`: the command that has none of that name below it; empty: ours as a whole. */
function unknownCommand(above: string, word: string, known: readonly string[]): AppError {
  const close = nearest(word, known);
  const guess = close === null ? '' : `; did you mean ${close}?`;
  const path = ['ralph', above, close ?? ''].filter((part) => part !== '').join(' ');
  return new AppError('E_USAGE', `unknown command ${JSON.stringify(`${above} ${word}`.trim())}${guess}`, {
    remedy: `${path} --help`,
  });
}

interface Chosen {
  readonly spec: CommandSpec;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[]>>;
}

/** A known first word needs only its own commands; anything else (help, a typo) needs all of them. */
function commandsFor([first = '']: readonly string[]): readonly CommandSpec[] {
  const named = COMMANDS.filter((spec) => spec.name.split(' ')[0] === first);
  return named.length > 0 ? named : COMMANDS;
}

function buildProgram(version: string, commands: readonly CommandSpec[], onChosen: (chosen: Chosen) => void): Command {
  const program = new Command('ralph')
    .description('Run many coding-agent loops at once on one git repository and land what they make.')
    .version(version, '-V, --version', 'print the version')
    .option('-C <folder>', 'act as if started in this folder')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText(
      'after',
      '\nExit codes: 0 all landed or ready, 1 some parked, 2 usage, 3 bad config or task file, 4 environment,\n5 busy, 6 needs a person, 7 limit, 70 bug, 130 interrupted, 143 terminated.\n\nStart here: ralph demo, then ralph init',
    );
  program.allowExcessArguments(true).action(() => {
    const [unknown] = program.args;
    if (unknown === undefined) program.help({ error: false });
    else throw unknownCommand('', unknown, [...new Set(COMMANDS.map((spec) => spec.name.split(' ')[0] ?? ''))]);
  });
  const parents = new Map<string, Command>();
  for (const spec of commands) addCommand(program, parents, spec, onChosen);
  for (const command of [program, ...parents.values()]) if (command.commands.length > 0) command.helpCommand(true);
  return program;
}

function addCommand(
  program: Command,
  parents: Map<string, Command>,
  spec: CommandSpec,
  onChosen: (chosen: Chosen) => void,
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
  command.addHelpText('before', `Examples:\n${spec.examples.map((example) => `  ${example}`).join('\n')}\n`);
  command.action((...received: unknown[]) => {
    // A flag that the command above has too is taken by that one.
    const options = command.optsWithGlobals<Chosen['options']>();
    const args = received
      .slice(0, -2)
      .flat()
      .filter((arg): arg is string => typeof arg === 'string');
    onChosen({ spec, args, options });
  });
}

function newParent(program: Command, parents: Map<string, Command>, name: string): Command {
  const below = COMMANDS.filter((spec) => spec.name.startsWith(`${name} `));
  const group = below[0]?.group ?? 'Watch';
  const names = below.map((spec) => spec.name.slice(name.length + 1));
  const parent = program
    .command(name)
    .description(`${names.join(', ')}`)
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
  const [word] = command.args;
  const isNobodys = command.commands.length > 0 && word !== undefined && text.includes('too many arguments');
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
  if (!isNobodys) return new AppError('E_USAGE', message, { remedy: `${pathOf(command)} --help` });
  return unknownCommand(
    command.name(),
    word,
    command.commands.map((child) => child.name()),
  );
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function callOf(chosen: Chosen, program: Command, out: Output, words: readonly string[]): Call {
  const folder = program.opts<{ C?: string }>().C;
  if (folder !== undefined) changeFolder(folder);
  return {
    args: chosen.args,
    flags: chosen.options,
    settings: settingsOf(chosen),
    cwd: process.cwd(),
    env: process.env,
    out,
    words,
    flagOf: flagsOf(chosen),
  };
}

function changeFolder(folder: string): void {
  try {
    process.chdir(folder);
  } catch (cause) {
    throw new AppError('E_USAGE', `-C ${folder}: cannot go there`, { cause, remedy: `ls -d ${shellWord(folder)}` });
  }
}

function settingsOf({ spec, options }: Chosen): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const flag of spec.flags) {
    const value = options[optionName(flag.flag)];
    if (flag.key !== undefined && value !== undefined && value !== false) settings.set(flag.key, String(value));
  }
  for (const pair of (options['set'] as readonly string[] | undefined) ?? []) {
    const cut = pair.indexOf('=');
    if (cut < 1)
      throw new AppError('E_USAGE', `--set ${pair}: not of the form key=value`, { remedy: 'ralph config list' });
    settings.set(pair.slice(0, cut).trim(), pair.slice(cut + 1));
  }
  return settings;
}

function flagsOf({ spec, options }: Chosen): ReadonlyMap<string, string> {
  const given = spec.flags.filter((flag) => options[optionName(flag.flag)] !== undefined);
  return new Map(given.flatMap((flag) => (flag.key === undefined ? [] : [[flag.key, flag.flag.split(' ')[0] ?? '']])));
}

/** `--max-workers <n>` is `maxWorkers` to commander. */
function optionName(flag: string): string {
  const long = /--([a-z-]+)/.exec(flag)?.[1];
  invariant(long !== undefined, `flag ${flag} has no long form`);
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

import type { CommandSpec } from '../../call/command-spec.ts';

/** For who has not read anything yet. */
export const TEN_LINES = `ralph runs many coding-agent loops at once on one git repository, and lands their work.

  ralph demo                         see it work, in a repository of its own
  ralph init                         set up the repository you are in
  ralph run "make the header sticky" one job, one loop
  ralph run --parallel               work through the task file, several loops at once
  ralph watch                        watch the run
  ralph status                       what landed, what runs, what needs you
All commands: ralph --help   one of them: ralph run -h`;

const WIDTH = 100;

/** `-h`: what it is, how it is called, one example, and the names of its flags. Null: no command is meant. */
export function shortHelp(words: readonly string[], commands: readonly CommandSpec[]): string | null {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  if (!own.includes('-h') || own.includes('--help')) return null;
  const names = own.filter((word, at) => !word.startsWith('-') && own[at - 1] !== '-C').slice(0, 2);
  if (names.length === 0) return TEN_LINES;
  const spec = commands.find(({ name }) => name === names.join(' ')) ?? commands.find(({ name }) => name === names[0]);
  const below = commands.filter(({ name }) => name.startsWith(`${names[0] ?? ''} `));
  if (spec === undefined && below.length === 0) return null;
  const path = spec?.name ?? names[0] ?? '';
  return [
    ...(spec === undefined ? [] : describe(spec)),
    ...(path.includes(' ')
      ? []
      : below.map(({ name, summary }) => `  ralph ${name.padEnd(widest(below))}  ${summary}`)),
    `more: ralph ${path} --help`,
  ].join('\n');
}

const widest = (commands: readonly CommandSpec[]): number => Math.max(...commands.map(({ name }) => name.length));

function describe({ name, summary, argument, flags, examples }: CommandSpec): readonly string[] {
  const usage = [
    'ralph',
    name,
    ...(argument === null ? [] : [argument.name]),
    ...(flags.length > 0 ? ['[flags]'] : []),
  ];
  return [
    `${usage.join(' ')}   ${summary}`,
    ...examples.slice(0, 1).map((example) => `  ${example}`),
    ...(flags.length === 0 ? [] : wrapped(flags.map(({ flag }) => flag))),
  ];
}

function wrapped(words: readonly string[]): readonly string[] {
  const lines = ['flags:'];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length + 2 > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${last}  ${word}`;
  }
  return lines;
}

import { code, page, table } from './markdown.mjs';

const block = (lines) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;

const usageOf = ({ name, argument, flags }) =>
  ['ralph', name, ...(argument == null ? [] : [argument.name]), ...(flags.length > 0 ? ['[flags]'] : [])].join(' ');

const anchorOf = ({ name }) => `#ralph-${name.replaceAll(' ', '-')}`;

function section(command) {
  const { argument, flags } = command;
  const rows = [
    ...(argument == null ? [] : [[code(argument.name), argument.description]]),
    ...flags.map(({ flag, description, key }) => [
      code(flag),
      `${description}${key == null ? '' : ` (setting ${code(key)})`}`,
    ]),
  ];
  return [
    `## ralph ${command.name}`,
    `${command.summary}.`,
    block([usageOf(command)]),
    ...(rows.length > 0 ? [table(['word', 'means'], rows)] : []),
    'Examples:',
    block(command.examples),
  ].join('\n\n');
}

/** docs/reference/cli.md: every command with its flags and examples. */
export function cliPage({ COMMANDS }) {
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const index = groups.flatMap((group) =>
    COMMANDS.filter((command) => command.group === group).map((command, place) => [
      place === 0 ? group : '',
      `[${code(`ralph ${command.name}`)}](${anchorOf(command)})`,
      command.summary,
    ]),
  );
  return page({
    title: 'Commands',
    source: 'src/faces/cli/tables/table.ts',
    intro:
      'Standard output is data, standard error is messages. `ralph -C <folder> …` acts as if started in that folder; `--color=auto|always|never` comes before or after any command. `--help` on any command says what is here. ' +
      'Exit codes are in [errors.md](errors.md), settings in [config.md](config.md).',
    blocks: [table(['', 'command', 'does'], index), ...COMMANDS.map(section)],
  });
}

import { code, page, table } from './markdown.mjs';

const block = (lines) => `\`\`\`\n${lines.join('\n')}\n\`\`\``;

const flagText = (flag) => flag.flag ?? flag.flags ?? flag.name;
const exampleText = (example) =>
  typeof example === 'string' ? example : (example.command ?? example.run ?? JSON.stringify(example));

function flagRows(flags) {
  return flags.map((flag) => [code(flagText(flag)), flag.description ?? flag.summary ?? '']);
}

function section(command) {
  const usage = command.usage ?? `ralph ${command.name}`;
  const parts = [`## ralph ${command.name}`, `${command.summary}.`.replace(/\.\.$/, '.'), block([usage])];
  if (command.description != null) parts.push(command.description);
  if ((command.flags ?? []).length > 0) parts.push(table(['flag', 'means'], flagRows(command.flags)));
  if ((command.examples ?? []).length > 0) parts.push('Examples:', block(command.examples.map(exampleText)));
  return parts.join('\n\n');
}

/** docs/reference/cli.md: every command with its flags and examples. */
export function cliPage({ COMMANDS, GLOBAL_FLAGS }) {
  const index = table(
    ['command', 'does'],
    COMMANDS.map((command) => [
      `[${code(`ralph ${command.name}`)}](#ralph-${command.name.replaceAll(' ', '-')})`,
      command.summary,
    ]),
  );
  const everywhere =
    GLOBAL_FLAGS == null ? [] : ['## Flags of every command', table(['flag', 'means'], flagRows(GLOBAL_FLAGS))];
  return page({
    title: 'Commands',
    source: 'src/faces/cli/table.ts',
    intro: 'Standard output is data, standard error is messages. Exit codes are in [errors.md](errors.md).',
    blocks: [index, ...everywhere, ...COMMANDS.map(section)],
  });
}

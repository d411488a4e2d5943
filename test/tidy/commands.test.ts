import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/faces/cli/cli.ts';
import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { ROOT, readText } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

const page = readText('docs/reference/cli.md');

describe.each(COMMANDS.map((command) => ({ ...command })))('ralph $name', (command) => {
  const { name, summary, examples } = command;

  it('trip 16: has help that begins with an example that can be pasted', async () => {
    const { output } = await helpOf(name);
    expect(output).toMatch(new RegExp(`^Examples:\\n  ralph ${name}\\b`));
    const [words = '', ...flags] = (examples[0] ?? '').split(/ (?=-)/);
    const known = command.flags.flatMap(({ flag }) => flag.split(/[ ,]+/));
    for (const flag of flags) expect(known).toContain(flag.split(' ')[0]);
    const wanted = command.argument?.name.split(' ').filter((argument) => argument.startsWith('<')) ?? [];
    const given = words.slice(`ralph ${name}`.length).match(/"[^"]*"|\S+/g) ?? [];
    expect(given.length, examples[0]).toBeGreaterThanOrEqual(wanted.length);
  });

  it('has a one-line summary without a full stop', () => {
    expect(summary).toMatch(/^[A-Z`].*[^.]$/);
    expect(summary).not.toContain('\n');
  });

  it('has an example', () => {
    expect(examples.length).toBeGreaterThan(0);
  });

  it('is in the reference', () => {
    expect(page).toContain(`## ralph ${name}\n`);
  });

  it('has help that says the same', async () => {
    const { code, output } = await helpOf(name);
    expect(code, output).toBe(0);
    // Long lines are folded.
    expect(output.replaceAll(/\s+/g, ' ')).toContain(summary);
    expect(output).toContain(`ralph ${name}`);
  });
});

/** In this process: seventy starts of the program would tell no more. */
async function helpOf(name: string): Promise<{ readonly code: number; readonly output: string }> {
  let output = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  try {
    return { code: await runCli([...name.split(' '), '--help'], '0.0.0'), output };
  } finally {
    write.mockRestore();
  }
}

it.each(['run', 'loops list'])('the built program has the same help: ralph %s', (name) => {
  const built = runNode(['scripts/build.mjs']);
  expect(built.code, built.output).toBe(0);
  const help = runNode([join(ROOT, 'dist', 'main.js'), ...name.split(' '), '--help']);
  expect(help.code, help.output).toBe(0);
  expect(help.output).toContain(`ralph ${name}`);
});

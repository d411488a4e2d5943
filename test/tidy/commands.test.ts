import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/faces/cli/table.ts';
import { ROOT, readText } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

const built = runNode(['scripts/build.mjs']);
const page = readText('docs/reference/cli.md');

describe.each(COMMANDS.map((command) => ({ ...command })))('ralph $name', ({ name, summary, examples }) => {
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

  it('has help that says the same', () => {
    expect(built.code, built.output).toBe(0);
    const help = runNode([join(ROOT, 'dist', 'main.js'), ...name.split(' '), '--help']);
    expect(help.code, help.output).toBe(0);
    expect(help.output).toContain(summary);
    expect(help.output).toContain(`ralph ${name}`);
  });
});

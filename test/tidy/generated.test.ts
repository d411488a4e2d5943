import { COMMANDS } from '../../src/faces/cli/tables/table.ts';
import { JSON_FLAG } from '../../src/faces/cli/tables/command-spec.ts';
import answers from '../../schema/answers.schema.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { CATALOG, EXIT } from '../../src/core/model/errors.ts';
import { findAll, readText, sourceFiles } from './support/repository.ts';
import { runNode } from './support/run-tool.ts';

/** The compiler's last words where it is closed while it still works ahead, as on a busy machine. */
const COMPILER_ENDS = /^context canceled\n/m;

describe('generated files', () => {
  it('are up to date', () => {
    const { code, output } = runNode(['scripts/docs.mjs', '--check']);
    expect([code, output.replace(COMPILER_ENDS, '')]).toEqual([0, '']);
  });
});

type Schema = Readonly<Record<string, unknown>>;

/** Every property that some answer has, with its schema. */
const propertiesIn = (schema: unknown): readonly (readonly [string, Schema])[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const below = Object.values(schema).flatMap(propertiesIn);
  return 'properties' in schema ? [...Object.entries(schema.properties as Record<string, Schema>), ...below] : below;
};

describe('the schema of answers', () => {
  const properties = propertiesIn(answers.$defs);

  it('names everything in snake_case', () => {
    expect(properties.map(([name]) => name).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(properties.length).toBeGreaterThan(50);
  });

  it('tells every moment as text', () => {
    const moments = properties.filter(([name]) => /^(?:at|from|to|since|until)$|_at$/.test(name));
    expect(moments.filter(([, schema]) => JSON.stringify(schema).includes('"number"'))).toEqual([]);
    expect(moments.length).toBeGreaterThan(10);
  });

  it.each(COMMANDS.filter(({ flags }) => flags.includes(JSON_FLAG)))('knows ralph $name', ({ name }) => {
    const found: Schema | undefined = (answers.$defs as Record<string, Schema>)[name];
    for (const one of (found?.['anyOf'] as readonly Schema[] | undefined) ?? [found])
      expect(one).toMatchObject({ type: 'object', properties: { version: { const: 1 } } });
  });
});

describe('errors', () => {
  const page = readText('docs/reference/errors.md');

  it.each(Object.keys(CATALOG))('%s is documented', (code) => {
    expect(page).toContain(`| \`${code}\` |`);
  });

  it.each(Object.values(EXIT))('exit code %i is documented', (exit) => {
    expect(page).toMatch(new RegExp(`^\\| ${exit} \\|`, 'm'));
  });

  it('every code in the catalog is used', () => {
    const elsewhere = sourceFiles().filter((path) => path !== 'src/core/model/errors.ts' && !path.endsWith('.test.ts'));
    const unused = Object.keys(CATALOG).filter((code) => findAll(elsewhere, new RegExp(`\\b${code}\\b`)).length === 0);
    expect(unused).toEqual([]);
  });
});

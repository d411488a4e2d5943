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

describe('the schema of answers', () => {
  it('names everything in snake_case', () => {
    const names = [
      ...readText('schema/answers.schema.json').matchAll(/"([\w-]+)":\{"(?:type|enum|const|anyOf|\$ref)"/g),
    ];
    const strange = names.map(([, name = '']) => name).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name));
    expect(strange.filter((name) => !/^[A-Z]|^additionalProperties$/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
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

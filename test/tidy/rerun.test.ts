import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rerunAlone } from '../../scripts/lib/rerun.mjs';
import { type RedFile, type Tally, addUp, tallyFiles } from '../../scripts/lib/tally.mjs';
import { ROOT } from './support/repository.ts';

const scratch = mkdtempSync(join(tmpdir(), 'paralph-rerun-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const GREEN: Tally = { passed: 2, failed: 0, skipped: 0, red: [] };
const redFile = (file: string): RedFile => ({ file, passed: 1, failed: 1, skipped: 0, first: `${file} timed out` });
const redPart = (...files: string[]): Tally => ({ passed: 10, failed: 0, skipped: 1, red: files.map(redFile) });

async function rerun(
  parts: readonly Tally[],
  second: (file: string) => Tally,
): Promise<{ told: string; sum: unknown }> {
  const told: string[] = [];
  const runFile = (file: string): Promise<Tally> => Promise.resolve(second(file));
  const sum = addUp(await rerunAlone(parts, { runFile, tell: (line) => told.push(line) }));
  return { told: told.join('\n'), sum };
}

describe('a file with a failure', () => {
  it('counts as passed when it is green alone, and is listed as flaky with its first failure', async () => {
    const { told, sum } = await rerun([redPart('a')], () => GREEN);
    expect(sum).toEqual({ passed: 12, failed: 0, skipped: 1 });
    expect(told).toContain('flaky  a\n       a timed out');
  });

  it('fails the run when it is red twice, or when its second run ran nothing', async () => {
    const twice = (file: string): Tally => ({ passed: 0, failed: 0, skipped: 0, red: [redFile(file)] });
    const red = await rerun([redPart('a', 'b')], (file) => (file === 'a' ? GREEN : twice(file)));
    expect(red.sum).toEqual({ passed: 13, failed: 1, skipped: 1 });
    expect(red.told).not.toContain('flaky  b');
    const nothing = await rerun([redPart('a')], () => ({ passed: 0, failed: 0, skipped: 0, red: [] }));
    expect(nothing.sum).toEqual({ passed: 11, failed: 1, skipped: 1 });
    const outside = await rerun([redPart('a')], () => ({ ...GREEN, failed: 1 }));
    expect(outside.sum).toMatchObject({ failed: 2 });
  });

  it('fails the run when more than three are flaky', async () => {
    expect((await rerun([redPart('a', 'b'), redPart('c')], () => GREEN)).sum).toMatchObject({ failed: 0 });
    const four = await rerun([redPart('a', 'b'), redPart('c', 'd')], () => GREEN);
    expect(four.sum).toEqual({ passed: 28, failed: 1, skipped: 2 });
    expect(four.told).toContain('FAILED flaky files: 4, at most 3');
  });

  it('is not run again when there is none', async () => {
    const unexpected = (): Tally => {
      throw new Error('nothing to run');
    };
    expect((await rerun([GREEN], unexpected)).told).toBe('');
  });
});

/** Real vitest on files of ours, as `npm test` reads it. */
function runFixture(): Tally {
  const out = join(scratch, 'results.json');
  const { status } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'vitest'),
    ['run', '--root', scratch, '--globals', '--reporter=json', `--outputFile.json=${out}`],
    { cwd: scratch, encoding: 'utf8' },
  );
  return tallyFiles(JSON.parse(readFileSync(out, 'utf8')), { code: status ?? 1, outside: 0 });
}

describe('the counts of a run', () => {
  it('are read from vitest, with files that failed or could not be loaded apart', async () => {
    const mark = JSON.stringify(join(scratch, 'mark'));
    writeFileSync(
      join(scratch, 'once.test.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs';
it('fails the first time', () => { const was = existsSync(${mark}); writeFileSync(${mark}, ''); expect(was).toBe(true); });
it('passes', () => {});
`,
    );
    writeFileSync(join(scratch, 'plain.test.mjs'), "it('passes', () => {});\nit.todo('comes later');\n");
    writeFileSync(join(scratch, 'broken.test.mjs'), "import './nowhere.mjs';\n");
    const first = runFixture();
    expect({ ...first, red: [] }).toEqual({ passed: 1, failed: 0, skipped: 1, red: [] });
    const byName = [...first.red].sort((a, b) => (a.file < b.file ? -1 : 1));
    expect(byName).toMatchObject([
      { file: relative(ROOT, join(scratch, 'broken.test.mjs')), passed: 0, failed: 1, skipped: 0 },
      { file: relative(ROOT, join(scratch, 'once.test.mjs')), passed: 1, failed: 1, skipped: 0 },
    ]);
    expect(byName[0]?.first).toContain('nowhere.mjs');
    expect(byName[1]?.first).toMatch(/^fails the first time: AssertionError: expected false to be true/);
    rmSync(join(scratch, 'broken.test.mjs'));
    expect(addUp([runFixture()])).toEqual({ passed: 3, failed: 0, skipped: 1 });
  });

  it('have one failure for what went wrong outside of any file', () => {
    const none = { testResults: [] };
    expect(tallyFiles(none, { code: 1, outside: 0 })).toMatchObject({ failed: 1 });
    expect(tallyFiles(none, { code: 1, outside: 2 })).toMatchObject({ failed: 1 });
    expect(tallyFiles(none, { code: 0, outside: 0 })).toMatchObject({ failed: 0 });
  });
});

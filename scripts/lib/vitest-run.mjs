import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { memoryFolder } from './memory-folder.mjs';
import { OUTSIDE } from './progress-reporter.mjs';
import { inRoot } from './root.mjs';
import { run, tool } from './run.mjs';
import { tallyFiles } from './tally.mjs';

const RESULTS = inRoot('.cache', 'test-results.json');
const REPORTER = inRoot('scripts', 'lib', 'progress-reporter.mjs');

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** No test asks a stranger's server; a node that reads the certificates of the machine takes three times as long to start. */
function testEnvironment(scratch, isBuilt) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return { ...env, ...(scratch !== null && { TMPDIR: scratch }), ...(isBuilt && { TESTS_ARE_BUILT: 'true' }) };
}

/** A failing chaos round keeps what it saw, mounted: that must not keep the counts from being told. */
function removeScratch(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    console.log(`left for a look: ${folder} (${error.code})`);
  }
}

/**
 * Runs the named vitest projects and returns counts, with those of each file that failed apart. Anything that went wrong
 * outside a test counts as one failure. Where `isBuilt`, each file of tests takes the program as it is.
 */
export async function runVitest(projects, filters = [], { isBuilt = false } = {}) {
  mkdirSync(inRoot('.cache'), { recursive: true });
  for (const file of [RESULTS, OUTSIDE]) rmSync(file, { force: true });
  const scratch = process.env['TMPDIR'] === undefined ? memoryFolder() : null;
  const { code } = await run(
    [
      tool('vitest'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      `--reporter=${REPORTER}`,
      '--reporter=json',
      `--outputFile.json=${RESULTS}`,
      '--passWithNoTests',
      ...filters,
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: testEnvironment(scratch, isBuilt),
    },
  );
  if (scratch !== null) removeScratch(scratch);
  const results = readJson(RESULTS);
  const outside = readJson(OUTSIDE);
  if (results === null || outside === null) return { passed: 0, failed: 1, skipped: 0, red: [] };
  return tallyFiles(results, { code, outside });
}

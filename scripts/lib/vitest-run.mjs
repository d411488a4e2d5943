import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { memoryFolder } from './memory-folder.mjs';
import { inRoot } from './root.mjs';
import { run, tool } from './run.mjs';

const RESULTS = inRoot('.cache', 'test-results.json');
const REPORTER = inRoot('scripts', 'lib', 'progress-reporter.mjs');

function readResults() {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'));
  } catch {
    return null;
  }
}

/** A file that could not even be loaded has no failed test in it, but is one. */
const brokenFiles = (results) =>
  results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;

/** Runs the named vitest projects and returns counts. Anything that went wrong outside a test counts as one failure. */
export async function runVitest(projects, filters = []) {
  mkdirSync(inRoot('.cache'), { recursive: true });
  rmSync(RESULTS, { force: true });
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
      env: scratch === null ? process.env : { ...process.env, TMPDIR: scratch },
    },
  );
  if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  const results = readResults();
  if (results == null) return { passed: 0, failed: 1, skipped: 0 };
  const failed = results.numFailedTests + brokenFiles(results);
  return {
    passed: results.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

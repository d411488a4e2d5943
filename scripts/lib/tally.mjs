import { relative } from 'node:path';
import { ROOT } from './root.mjs';

function add(parts) {
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** A file that could not even be loaded has no failed test in it, but is one. */
function tallyFile({ name, status, message, assertionResults }) {
  const failures = assertionResults.filter((test) => test.status === 'failed');
  const passed = assertionResults.filter((test) => test.status === 'passed').length;
  const isBroken = status === 'failed' && failures.length === 0;
  const [first] = failures;
  return {
    file: relative(ROOT, name),
    passed,
    failed: failures.length + (isBroken ? 1 : 0),
    skipped: assertionResults.length - passed - failures.length,
    first: first === undefined ? (message ?? '') : `${first.fullName}: ${first.failureMessages[0] ?? ''}`,
  };
}

/**
 * The counts of what vitest's json reporter says. Those of files with a failure are in `red` alone, so that a second run of
 * such a file can take their place. What went wrong outside of any file, or an exit code that nothing explains, is one failure.
 */
export function tallyFiles(results, { code, outside }) {
  const files = results.testResults.map(tallyFile);
  const red = files.filter((file) => file.failed > 0);
  const rest = add(files.filter((file) => file.failed === 0));
  return { ...rest, failed: outside > 0 || (red.length === 0 && code !== 0) ? 1 : 0, red };
}

/** All counts, also those of the files that failed. */
export const addUp = (parts) => add(parts.flatMap((part) => [part, ...(part.red ?? [])]));

/** Adds up counts, closes the output with one line, and sets the exit code. */
export function closeWith(parts) {
  const { passed, failed, skipped } = addUp(parts);
  console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

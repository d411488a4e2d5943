import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT, inRoot } from './root.mjs';

/** How many errors belong to no file: vitest's own json does not tell. */
export const OUTSIDE = inRoot('.cache', 'test-outside.json');

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function tellError(where, error) {
  console.log(`FAILED ${where}`);
  console.log(`${error.stack ?? error.message ?? error}`.replaceAll(/^/gm, '       '));
  if (error.diff != null) console.log(`${error.diff}`.replaceAll(/^/gm, '       '));
}

function tellTest(file, test) {
  const result = test.result();
  if (result.state === 'failed') for (const error of result.errors) tellError(`${file} > ${test.fullName}`, error);
  if (result.state === 'skipped')
    console.log(`skipped ${file} > ${test.fullName}: ${result.note ?? 'no reason given'}`);
}

/** A vitest reporter: one line a file, the whole story of a failure, the reason of a skip, no totals. */
export default class ProgressReporter {
  onTestModuleEnd(module) {
    const file = relative(ROOT, module.moduleId);
    const tests = [...module.children.allTests()];
    for (const error of module.errors()) tellError(file, error);
    for (const test of tests) tellTest(file, test);
    const word = module.ok() ? 'ok    ' : 'FAILED';
    console.log(`${word} ${file} (${tests.length} tests, ${seconds(module.diagnostic().duration)})`);
  }

  onTestRunEnd(_modules, unhandledErrors) {
    for (const error of unhandledErrors) tellError('outside of any test', error);
    writeFileSync(OUTSIDE, JSON.stringify(unhandledErrors.length));
  }
}

#!/usr/bin/env node
// Everything: install, build, checks, all tests. Works as the first command in a fresh clone.
import { build } from './build.mjs';
import { runChecks } from './lib/checks.mjs';
import { closeWith } from './lib/tally.mjs';
import { runVitest } from './lib/vitest-run.mjs';
import { setup } from './setup.mjs';

const PROJECTS = ['pure', 'tidy', 'world', 'e2e'];

async function tryBuild() {
  try {
    console.log(await build());
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    console.log(`FAILED build\n${error.stack}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

console.log(await setup());
const filters = process.argv.slice(2);
const parts = [await tryBuild()];
if (filters.length === 0) parts.push(await runChecks());
parts.push(await runVitest(PROJECTS, filters));
closeWith(parts);

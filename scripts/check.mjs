#!/usr/bin/env node
// The fast loop: types, lint, format, and the tests that touch nothing but this repository.
import { runChecks } from './lib/checks.mjs';
import { closeWith } from './lib/tally.mjs';
import { runVitest } from './lib/vitest-run.mjs';
import { setup } from './setup.mjs';

console.log(await setup());
closeWith([await runChecks(), await runVitest(['pure', 'tidy'])]);

#!/usr/bin/env node
// Shows the product at work in a repository of its own, from a fresh clone.
import { build } from './build.mjs';
import { inRoot } from './lib/root.mjs';
import { run } from './lib/run.mjs';
import { setup } from './setup.mjs';

console.error(await setup());
console.error(await build());
const argv = [process.execPath, inRoot('dist', 'main.js'), 'demo', ...process.argv.slice(2)];
// Ctrl-C reaches the demo too, which ends in its own way; this script waits for it.
process.on('SIGINT', () => {});
const { code } = await run(argv, { stdio: 'inherit' });
process.exitCode = code;

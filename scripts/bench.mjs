#!/usr/bin/env node
// Measures; asserts nothing. `npm run bench -- makespan startup`, or `-- all`. What follows the first flag is for the bench.
import { readdirSync } from 'node:fs';
import { build } from './build.mjs';
import { inRoot } from './lib/root.mjs';
import { run } from './lib/run.mjs';
import { setup } from './setup.mjs';

const known = readdirSync(inRoot('bench'))
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => name.slice(0, -'.mjs'.length));

const given = process.argv.slice(2);
const flagsAt = given.findIndex((arg) => arg.startsWith('--'));
const asked = flagsAt < 0 ? given : given.slice(0, flagsAt);
const flags = flagsAt < 0 ? [] : given.slice(flagsAt);
const names = asked.length === 1 && asked[0] === 'all' ? known : asked;
const unknown = names.filter((name) => !known.includes(name));
if (names.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run bench -- all | ${known.join(' | ')}`);
  process.exit(2);
}
console.error(await setup());
console.error(await build());
for (const name of names) {
  const { code } = await run([process.execPath, inRoot('bench', `${name}.mjs`), ...flags], { stdio: 'inherit' });
  if (code !== 0) process.exitCode = 1;
}

#!/usr/bin/env node
// Links `ralph` to this clone and builds again after each change in src/. Ends with Ctrl-C; `npm unlink -g paralph` undoes it.
import { watch } from 'node:fs';
import { build } from './build.mjs';
import { inRoot } from './lib/root.mjs';
import { run } from './lib/run.mjs';
import { setup } from './setup.mjs';

/** An editor saves in several steps: they are one change. */
const SETTLE_MS = 100;

async function tryBuild() {
  try {
    console.error(await build());
  } catch (error) {
    console.error(String(error.message ?? error));
  }
}

console.error(await setup());
await tryBuild();
const { code, output } = await run(['npm', 'link', '--loglevel=error'], { cwd: inRoot() });
console.error(
  code === 0 ? 'dev: ralph and paralph are linked to this clone' : `dev: npm link failed: ${output.trim()}`,
);

let timer = null;
let building = Promise.resolve();
watch(inRoot('src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    building = building.then(tryBuild);
  }, SETTLE_MS);
});
console.error('dev: watching src/');

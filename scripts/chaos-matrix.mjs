#!/usr/bin/env node
// Every failpoint with every action, on real git. `npm run chaos -- --matrix [--only land] [--actions kill,stop] [--parallel 2]`
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, buildTest, TEST_DIST } from './build.mjs';
import { withLock } from './lib/lock.mjs';
import { inRoot, isCalled } from './lib/root.mjs';
import { setup } from './setup.mjs';

const SOURCE = 'test/chaos/matrix/run-matrix.ts';

/** The matrix is TypeScript; it is bundled so that any Node runs it. */
async function loadMatrix() {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({ input: inRoot(SOURCE), platform: 'node', resolve: { mainFields: ['module', 'main'] } });
  const folder = inRoot('.cache', `matrix-${process.pid}`);
  const file = join(folder, 'matrix.mjs');
  mkdirSync(folder, { recursive: true });
  try {
    await made.write({ file, format: 'esm' });
    return await import(pathToFileURL(file).href);
  } finally {
    await made.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** So that a build meanwhile takes nothing away from under a host. */
function copyPrograms() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-matrix-programs-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  cpSync(inRoot('dist'), join(folder, 'dist'), { recursive: true });
  cpSync(TEST_DIST, join(folder, 'test-dist'), { recursive: true });
  return {
    programs: { main: join(folder, 'dist/main.js'), fallible: join(folder, 'test-dist/main.js') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function valueOf(argv, flag, otherwise) {
  const at = argv.indexOf(flag);
  return at < 0 ? otherwise : (argv[at + 1] ?? otherwise);
}

function tell({ point, action, nth, violations, notes, ms, folder }, done, of) {
  const state = violations.length === 0 ? 'ok' : 'VIOLATION';
  console.log(`${done}/${of} ${state} ${point}#${nth}=${action} ${ms} ms  ${notes.join(' / ')}`);
  for (const violation of violations) console.log(`    ${violation}`);
  if (folder !== null) console.log(`    kept in ${folder}`);
}

/** Runs the matrix with these words of a command line; true: nothing was wrong. */
export async function chaosMatrix(argv) {
  await build();
  await buildTest();
  const { runMatrix, ACTIONS } = await loadMatrix();
  const { programs, remove } = await withLock('build', async () => copyPrograms());
  const results = await runMatrix({
    programs,
    only: valueOf(argv, '--only', ''),
    actions: valueOf(argv, '--actions', ACTIONS.join(',')).split(','),
    parallel: Number(valueOf(argv, '--parallel', '2')),
    onCell: tell,
  }).finally(remove);
  const wrong = results.filter((result) => result.violations.length > 0);
  const parked = results.filter((result) => result.notes.some((note) => note.includes('is parked')));
  console.log(`${results.length} cells, ${wrong.length} with violations, ${parked.length} with parked work`);
  return wrong.length === 0 && results.length > 0;
}

if (isCalled(import.meta.url)) {
  await setup();
  process.exitCode = (await chaosMatrix(process.argv.slice(2))) ? 0 : 1;
}

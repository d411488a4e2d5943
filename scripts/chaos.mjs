#!/usr/bin/env node
// Torments the built program: `npm run chaos -- --runs 1000 --parallel 16 --seed 1`. See docs/guide/chaos.md.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, buildTest } from './build.mjs';
import { chaosMatrix } from './chaos-matrix.mjs';
import { ROOT, inRoot } from './lib/root.mjs';
import { setup } from './setup.mjs';

const folder = mkdtempSync(join(tmpdir(), 'ralph-chaos-programs-'));

/** The harness is TypeScript beside the tests; plain Node gets it as one file. */
async function loadHarness() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: ROOT,
    input: 'test/chaos/main.ts',
    platform: 'node',
    external: ['vitest'],
    // Only helpers that this harness does not call use it.
    treeshake: { moduleSideEffects: (id) => id !== 'vitest' },
    transform: { define: { __VERSION__: '"0.0.0"', __FAILPOINTS__: 'false' } },
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const path = join(folder, 'harness.mjs');
  writeFileSync(path, output[0].code);
  return await import(pathToFileURL(path).href);
}

/** Copies, so that a build meanwhile takes nothing away from under a host. */
function copyPrograms() {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const [dist, testDist] = [inRoot('dist'), inRoot('.cache', 'test-dist')];
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  const hasFailpoints = existsSync(join(testDist, 'main.js'));
  if (hasFailpoints) cpSync(testDist, join(folder, 'test-dist'), { recursive: true });
  return {
    main: join(folder, 'dist', 'main.js'),
    testMain: hasFailpoints ? join(folder, 'test-dist', 'main.js') : null,
    scriptedAgent: inRoot('test', 'scripted', 'agent.mjs'),
  };
}

console.error(await setup());
console.error(await build());
console.error(await buildTest());
const argv = process.argv.slice(2);
// However it ends, also by Ctrl-C.
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
if (argv.includes('--matrix')) process.exitCode = (await chaosMatrix(argv)) ? 0 : 1;
else process.exitCode = await (await loadHarness()).main(argv, copyPrograms());

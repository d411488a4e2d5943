import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, inRoot } from '../root.mjs';

/** Imports a TypeScript module of the product on any Node, by bundling it first; null when there is no such file. */
export async function loadSource(source) {
  if (!existsSync(inRoot(source))) return null;
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    input: source,
    platform: 'node',
    // Handlers are loaded lazily and never called here.
    external: [/^\.\.?\/commands\//],
    resolve: { mainFields: ['module', 'main'] },
    transform: { define: { __VERSION__: '"0.0.0"' } },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  const folder = inRoot('.cache', `reference-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${basename(source, '.ts')}.mjs`);
  try {
    writeFileSync(path, output[0].code);
    return await import(pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

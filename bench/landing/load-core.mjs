import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeScratch } from '../lib/repository.mjs';

/** The product's own deciding functions, bundled from the sources as they are now. */
export async function loadCore() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: join(import.meta.dirname, 'core-entry.mjs'),
    platform: 'node',
    transform: { target: 'node20' },
  });
  try {
    const { output } = await build.generate({ format: 'esm' });
    const file = join(makeScratch(), 'core.mjs');
    writeFileSync(file, output[0].code);
    return await import(pathToFileURL(file).href);
  } finally {
    await build.close();
  }
}

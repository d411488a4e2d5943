import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeScratch } from './repository.mjs';

/** What a file of re-exports names, bundled from the sources as they are now. */
export async function loadSources(input) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input, platform: 'node', transform: { target: 'node20' } });
  try {
    const { output } = await build.generate({ format: 'esm' });
    const file = join(makeScratch(), 'sources.mjs');
    writeFileSync(file, output[0].code);
    return await import(pathToFileURL(file).href);
  } finally {
    await build.close();
  }
}

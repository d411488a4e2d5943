import { readFileSync } from 'node:fs';
import { ROOT, inRoot } from './root.mjs';

const HASHBANG = '#!/usr/bin/env node';

/** A source that brings its own first line keeps it; two of them would not parse. */
const bringsHashbang = (source) => readFileSync(inRoot(source), 'utf8').startsWith('#!');

/** Bundles the entries in memory; what is imported lazily becomes a chunk of its own, read only when asked for. */
export async function bundle({ entries, version }) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    // jsonc-parser's `main` is a UMD file that requires its parts by name at run time.
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20', define: { __VERSION__: JSON.stringify(version) } },
    onLog(level, log, report) {
      if (level === 'warn') throw new Error(`bundling: ${log.message}`);
      report(level, log);
    },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      sourcemap: true,
      minify: false,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: (chunk) => (chunk.isEntry && !bringsHashbang(entries[chunk.name]) ? HASHBANG : ''),
    });
    return output;
  } finally {
    await build.close();
  }
}

import { readFileSync } from 'node:fs';
import { ROOT, inRoot } from './root.mjs';

const HASHBANG = '#!/usr/bin/env node';

/** A source that brings its own first line keeps it; two of them would not parse. */
const bringsHashbang = (source) => readFileSync(inRoot(source), 'utf8').startsWith('#!');

/**
 * What every command but the version needs, in one file: loading twenty small modules costs more than loading one. Nothing
 * in here may import a handler, the engine or a parser, or all commands would pay for them.
 */
const BASE = new RegExp(
  [
    'src/core/',
    'src/engine/journal\\.ts',
    'src/text/(screen/|trackers/tracker-names|config/(keys|layer|settle|find-key|check-value|nearest|quoted|duration|value-from-text)\\.ts)',
    'src/world/(config-files|find-tracker|state-places|git/repository|log/|processes/(identity|process-source|linux-proc|portable-ps|marker|read-if-there|process-entry))',
    'src/faces/cli/(cli|table|output|handler|report-error|project|open-tasks|find-one)\\.ts',
    'node_modules/commander/',
  ].join('|'),
);

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
      codeSplitting: { groups: [{ name: 'base', test: BASE }] },
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: (chunk) => (chunk.isEntry && !bringsHashbang(entries[chunk.name]) ? HASHBANG : ''),
    });
    return output;
  } finally {
    await build.close();
  }
}

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
    'src/text/(screen/|trackers/tracker-names|config/(keys|layer|settle|find-key|check-value|nearest|quoted|duration|value-from-text|dotted|chosen-names|cross-check)\\.ts)',
    'src/world/(config-files|trackers/find-tracker|os/read-if-there|git/run/(state-places|repository)|log/(?!salvage)|processes/(identity|process-source|linux-proc|portable-ps|marker|process-entry))',
    'src/faces/(call/(output|handler|make-call|project|open-tasks|find-one)\\.|cli/(cli\\.|tables/(table|command-spec|verb-table)\\.|show/(report-error|print-answer)\\.))',
  ].join('|'),
);

/** The MCP SDK and what it needs: large, and only `ralph mcp` loads it. */
const MCP = /node_modules\/(?:@modelcontextprotocol|zod)\//;

/** The SDK checks with ajv what a client answers to a form; we send no forms, and ajv is as large as the rest of the SDK. */
const withoutForms = {
  name: 'without-forms',
  load: {
    filter: { id: /@modelcontextprotocol\/sdk\/dist\/\w+\/validation\/ajv-provider\.js$/ },
    handler: () => "export class AjvJsonSchemaValidator { getValidator() { throw new Error('no forms are sent'); } }",
  },
};

/** Code of ours stays readable, for whoever meets a stack trace; what is wholly strangers' is made small. */
const smallStrangers = {
  name: 'small-strangers',
  async renderChunk(code, chunk) {
    if (!chunk.moduleIds.every((id) => id.includes('/node_modules/'))) return null;
    const { minify } = await import('rolldown/utils');
    const made = await minify(chunk.fileName, code, {
      module: true,
      mangle: { keepNames: { function: false, class: true } },
    });
    if (made.errors.length > 0) throw new Error(`minifying ${chunk.fileName}: ${made.errors[0].message}`);
    return { code: made.code, map: null };
  },
};

/** What ships has no failpoints: the calls go before anything else looks at them, so that not even a name is left. */
const withoutFailpoints = {
  name: 'without-failpoints',
  transform: {
    filter: { code: "reach('" },
    handler: (code) => ({ code: code.replaceAll(/\breach\('[\w.-]+'\);/g, ';'), map: null }),
  },
};

/** Bundles the entries in memory; what is imported lazily becomes a chunk of its own, read only when asked for. */
export async function bundle({ entries, version, hasFailpoints }) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    plugins: hasFailpoints ? [withoutForms] : [withoutForms, withoutFailpoints],
    input: entries,
    platform: 'node',
    // Which file each part comes from stands in the map; a package pays for every byte.
    experimental: { attachDebugInfo: 'none' },
    // jsonc-parser's `main` is a UMD file that requires its parts by name at run time.
    resolve: { mainFields: ['module', 'main'] },
    transform: {
      target: 'node20',
      define: { __VERSION__: JSON.stringify(version), __FAILPOINTS__: String(hasFailpoints) },
    },
    onLog(level, log, report) {
      if (level === 'warn') throw new Error(`bundling: ${log.message}`);
      report(level, log);
    },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      // Maps stay out of the package, so nothing in it names one.
      sourcemap: 'hidden',
      minify: false,
      // Why something is done stands in the sources, which the map points to; a package pays for every byte.
      comments: { legal: true, annotation: true, jsdoc: false },
      entryFileNames: '[name].js',
      codeSplitting: {
        groups: [
          { name: 'base', test: BASE },
          // Node opens all files a command needs at once: with few file handles, many small ones are too many.
          { name: 'git', test: /src\/world\/(?:git\/(?!trace)|worktrees\/worktree)/, minShareCount: 24 },
          {
            name: 'host',
            test: /src\/world\/(?:seal|keep|repair|agents|checkout|feature)\//,
            minShareCount: 4,
          },
          // By itself it is wholly strangers', and small.
          { name: 'commander', test: /node_modules\/commander\//, priority: 1 },
          { name: 'mcp-sdk', test: MCP },
          { name: 'toml', test: /node_modules\/@decimalturn\// },
          { name: 'yaml', test: /node_modules\/yaml\// },
          { name: 'jsonc', test: /node_modules\/jsonc-parser\// },
        ],
      },
      plugins: [smallStrangers],
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: (chunk) => (chunk.isEntry && !bringsHashbang(entries[chunk.name]) ? HASHBANG : ''),
    });
    return output;
  } finally {
    await build.close();
  }
}

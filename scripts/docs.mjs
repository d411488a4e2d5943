#!/usr/bin/env node
// Writes docs/reference/ and schema/ from the code, and docs/pictures/ from real runs where tmux is; with --check says which of
// the former are out of date and exits 1, with --pages leaves the pictures alone.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { answersSchema } from './lib/reference/answers-schema.mjs';
import { cliPage } from './lib/reference/cli-page.mjs';
import { configPage } from './lib/reference/config-page.mjs';
import { errorsPage } from './lib/reference/errors-page.mjs';
import { eventsPage } from './lib/reference/events-page.mjs';
import { loadSource } from './lib/reference/load-source.mjs';
import { inRoot, isCalled } from './lib/root.mjs';
import { build } from './build.mjs';
import { pictures } from './pictures.mjs';
import { setup } from './setup.mjs';

const asJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Each source and the files made from it. */
const SOURCES = [
  { source: 'src/core/model/errors.ts', make: (module) => ({ 'docs/reference/errors.md': errorsPage(module) }) },
  {
    source: 'src/faces/cli/tables/table.ts',
    make: async (module) => ({
      'docs/reference/cli.md': cliPage(module),
      'schema/answers.schema.json': await answersSchema(module),
    }),
  },
  {
    source: 'src/text/config/reference.ts',
    make: (module) => ({
      'docs/reference/config.md': configPage(module),
      'schema/ralph.schema.json': asJson(module.configJsonSchema()),
    }),
  },
];

/** Every generated file with what it should hold. */
async function generate() {
  const files = {};
  for (const { source, make } of SOURCES) {
    const module = await loadSource(source);
    if (module == null) console.error(`docs: ${source} is missing, its pages are not made`);
    else Object.assign(files, await make(module));
  }
  const read = (path) => (existsSync(inRoot(path)) ? readFileSync(inRoot(path), 'utf8') : null);
  return {
    ...files,
    'docs/reference/events.md': eventsPage(
      [read('src/core/model/events.ts'), read('src/core/model/pull-event.ts')],
      read('src/core/views/news.ts'),
    ),
  };
}

/** Pictures of the program as it is now. */
async function drawnAnew() {
  console.error(await build());
  const drawn = await pictures();
  if (drawn == null) console.error('docs: no tmux, so docs/pictures/ stays as it is');
  return drawn ?? {};
}

async function main() {
  await setup();
  const onlyPages = ['--check', '--pages'].some((flag) => process.argv.includes(flag));
  const files = { ...(await generate()), ...(onlyPages ? {} : await drawnAnew()) };
  const isCurrent = ([path, text]) => existsSync(inRoot(path)) && readFileSync(inRoot(path), 'utf8') === text;
  const stale = Object.entries(files).filter((entry) => !isCurrent(entry));
  if (process.argv.includes('--check')) {
    for (const [path] of stale) console.error(`docs: ${path} is out of date; fix: npm run docs`);
    if (stale.length > 0) process.exitCode = 1;
    return;
  }
  for (const [path, text] of stale) {
    mkdirSync(dirname(inRoot(path)), { recursive: true });
    writeFileSync(inRoot(path), text);
  }
  console.error(`docs: ${stale.length} of ${Object.keys(files).length} files written`);
}

if (isCalled(import.meta.url)) await main();

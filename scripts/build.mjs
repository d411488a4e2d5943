#!/usr/bin/env node
// Bundles src/ into dist/, which runs from anywhere with nothing but Node. With --test: into .cache/test-dist/, with failpoints.
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lib/lock.mjs';
import { bundle } from './lib/bundle.mjs';
import { newestMs } from './lib/files.mjs';
import { installOutput } from './lib/install-output.mjs';
import { thirdPartyNotices } from './lib/notices.mjs';
import { PROGRAMS } from './lib/programs.mjs';
import { inRoot, isCalled } from './lib/root.mjs';
import { setup } from './setup.mjs';

const ENTRIES = {
  main: 'src/main.ts',
  driver: 'src/driver/main.ts',
};
const INPUTS = ['src', 'package.json', 'package-lock.json', 'scripts/build.mjs', 'scripts/lib'];
const SHIPPED = { folder: 'dist', stamp: inRoot('.cache', 'built'), hasFailpoints: false };
const FOR_TESTS = { folder: '.cache/test-dist', stamp: inRoot('.cache', 'built-for-tests'), hasFailpoints: true };

const presentEntries = () =>
  Object.fromEntries(Object.entries(ENTRIES).filter(([, source]) => existsSync(inRoot(source))));

/** Removed files count too: they change the time of their folder. */
function isCurrent({ folder, stamp }) {
  const stampMs = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const made = [...Object.keys(presentEntries()).map((name) => `${name}.js`), ...PROGRAMS.map((file) => file.fileName)];
  if (made.some((name) => !existsSync(inRoot(folder, name)))) return false;
  return INPUTS.every((input) => newestMs(inRoot(input)) < stampMs);
}

async function buildNow({ folder, stamp, hasFailpoints }, { clean }) {
  const startedAt = new Date();
  const entries = presentEntries();
  for (const [name, source] of Object.entries(ENTRIES)) {
    if (!(name in entries)) console.error(`build: ${source} is missing, ${folder}/${name}.js is not made`);
  }
  if (Object.keys(entries).length === 0) return 'build: nothing to build';
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const files = await bundle({ entries, version, hasFailpoints });
  installOutput({ folder: inRoot(folder), files: [...files, ...PROGRAMS], notices: thirdPartyNotices(files), clean });
  mkdirSync(inRoot('.cache'), { recursive: true });
  writeFileSync(stamp, '');
  // The start of the build, so that a file saved while it went on makes the next one build again.
  utimesSync(stamp, startedAt, startedAt);
  const chunks = files.filter((file) => file.type === 'chunk');
  const kilobytes = chunks.reduce((sum, chunk) => sum + chunk.code.length, 0) / 1024;
  return `build: ${chunks.length} files, ${kilobytes.toFixed(0)} KB, ${Date.now() - startedAt} ms`;
}

async function buildUnlessCurrent(kind, clean) {
  const current = `build: ${kind.folder} is current`;
  if (!clean && isCurrent(kind)) return current;
  return await withLock('build', async () => (!clean && isCurrent(kind) ? current : buildNow(kind, { clean })));
}

/** Builds dist/ unless it is newer than everything it is made of. `clean` builds anyway and leaves no file of an earlier build. */
export const build = ({ clean = false } = {}) => buildUnlessCurrent(SHIPPED, clean);

/** The same program with failpoints. */
export const buildTest = ({ clean = false } = {}) => buildUnlessCurrent(FOR_TESTS, clean);

/** Where `buildTest` leaves it. */
export const TEST_DIST = join(inRoot(), FOR_TESTS.folder);

if (isCalled(import.meta.url)) {
  await setup();
  const make = process.argv.includes('--test') ? buildTest : build;
  console.error(await make({ clean: process.argv.includes('--clean') }));
}

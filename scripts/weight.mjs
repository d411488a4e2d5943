#!/usr/bin/env node
// Prints how much code src/ and test/ hold, folder by folder, and which folders import each other.
// Of the working tree, or of a commit: npm run weight -- COMMIT
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { execFileSync } from 'node:child_process';
import { filesBelow } from './lib/files.mjs';
import { ROOT, inRoot } from './lib/root.mjs';

const COLUMNS = ['files', 'lines', 'code', 'imports', 'comments', 'blanks', 'cycles'];
const NOTHING = { files: 0, lines: 0, code: 0, imports: 0, comments: 0, blanks: 0, cycles: 0 };

/** A file's lines by kind. It reads formatted source: a comment or an import begins a line. */
function weigh(text) {
  const found = { ...NOTHING, files: 1 };
  let inside = null;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const kind = inside ?? kindOf(line);
    found[kind] += 1;
    found.lines += 1;
    if (kind === 'comments' && (inside ?? /^\s*\/\*/.test(line))) inside = line.includes('*/') ? null : kind;
    if (kind === 'imports') inside = /['"];?\s*(\/\/.*)?$/.test(line) ? null : kind;
  }
  return found;
}

function kindOf(line) {
  if (/^\s*$/.test(line)) return 'blanks';
  if (/^\s*(\/\/|\/\*)/.test(line)) return 'comments';
  return /^import\b(?!\()/.test(line) ? 'imports' : 'code';
}

/** The folders that a file takes values from; types alone make no cycle. */
function importedFolders(path, text) {
  const found = text.matchAll(/^(?:import|export)\s(?!type\b)[^;'"]*?from\s+['"](\.[^'"]+)['"]/gm);
  return [...found].map(([, to]) => dirname(join(dirname(path), to)));
}

/** Pairs of different folders that import values of each other. */
function cyclicPairs(files) {
  const imports = new Set(
    files.flatMap(({ path, text }) => importedFolders(path, text).map((to) => `${dirname(path)} ${to}`)),
  );
  return [...imports]
    .map((edge) => edge.split(' '))
    .filter(([from, to]) => from < to && imports.has(`${to} ${from}`))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

const isTest = (path) => path.startsWith('test/') || path.endsWith('.test.ts');

/** src without its tests, or the tests of both: rows for each folder's own files, and a sum. */
function report(title, files) {
  const pairs = cyclicPairs(files);
  const rows = new Map();
  for (const { path, text } of files) {
    const weighed = weigh(text);
    for (const name of [dirname(path), title]) rows.set(name, sum(rows.get(name) ?? NOTHING, weighed));
  }
  for (const pair of pairs) for (const folder of pair) rows.get(folder).cycles += 1;
  if (rows.has(title)) rows.get(title).cycles = pairs.length;
  const lines = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  print(title, COLUMNS);
  for (const [name, row] of lines.filter(([name]) => name !== title)) print(name, Object.values(row));
  print('sum', Object.values(rows.get(title) ?? NOTHING));
  for (const [one, other] of pairs) console.log(`cyclic pair: ${one} and ${other}`);
  console.log('');
}

const sum = (one, other) => Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value + other[key]]));

const print = (name, cells) => console.log(name.padEnd(34) + cells.map((cell) => String(cell).padStart(10)).join(''));

function sourceIn(root) {
  return ['src', 'test'].flatMap((folder) =>
    filesBelow(join(root, folder))
      .filter((file) => /\.[cm]?[jt]s$/.test(file))
      .map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8') })),
  );
}

function sourceOf(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'weight-'));
  try {
    const tar = join(folder, 'tree.tar');
    execFileSync('git', ['-C', ROOT, 'archive', `--output=${tar}`, commit, 'src', 'test']);
    execFileSync('tar', ['-xf', tar, '-C', folder]);
    return sourceIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [commit] = process.argv.slice(2);
const files = commit === undefined ? sourceIn(inRoot()) : sourceOf(commit);
console.log(`weight of ${commit ?? 'the working tree'}`);
report(
  'src',
  files.filter(({ path }) => !isTest(path)),
);
report(
  'tests',
  files.filter(({ path }) => isTest(path)),
);

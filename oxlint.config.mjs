// .oxlintrc.json with the order of the shelves: oxlint -c oxlint.config.mjs
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SHELVES } from './scripts/lib/shelves.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const RULE = 'no-restricted-imports';
const rooms = JSON.parse(readFileSync(here('.oxlintrc.json'), 'utf8'));

/** What the fences of the rooms forbid in a folder: of several overrides of one rule only the last counts. */
function ofRoom(folder) {
  const name = folder.split('/').slice(0, 2).join('/');
  const room = rooms.overrides.find(({ files }) => files.includes(`${name}/**`));
  return room.rules[RULE][1].patterns;
}

/** Which specifiers lead from a shelf to a later one, or to a file beside the shelves. The linter sees no more than their text. */
function upward(folder, order, shelf) {
  const later = order.slice(order.indexOf(shelf) + 1);
  const flat = existsSync(here(folder)) ? readdirSync(here(folder)).filter((name) => name.endsWith('.ts')) : [];
  const names = [...later.map((name) => `${name}/`), ...flat.map((name) => `${name.replace('.', '\\.')}$`)];
  if (names.length === 0) return [];
  const message = `${folder}/${shelf} imports only the shelves before it (scripts/lib/shelves.mjs)`;
  return [{ regex: `^(?:\\.\\./)+(?:${names.join('|')})`, message }];
}

const isBelow = (folder, other) => folder === other || folder.startsWith(`${other}/`);

function fence({ folder }, shelf) {
  const own = `${folder}/${shelf}`;
  const above = SHELVES.flatMap((row) =>
    row.order
      .filter((name) => isBelow(own, `${row.folder}/${name}`))
      .flatMap((name) => upward(row.folder, row.order, name)),
  );
  return {
    files: [`${own}/**`],
    excludeFiles: ['**/*.test.ts'],
    rules: { [RULE]: ['error', { patterns: [...ofRoom(folder), ...above] }] },
  };
}

export default {
  ...rooms,
  overrides: [...rooms.overrides, ...SHELVES.flatMap((row) => row.order.map((shelf) => fence(row, shelf)))],
};

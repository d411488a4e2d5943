import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHELVES } from '../../scripts/lib/shelves.mjs';
import { ROOT } from './support/repository.ts';
import { runTool } from './support/run-tool.ts';

const CONFIGS = [
  'package.json',
  '.oxlintrc.json',
  'oxlint.config.mjs',
  'scripts/lib/shelves.mjs',
  'tsconfig.base.json',
  'tsconfig.json',
  'src/core/tsconfig.json',
  'src/text/tsconfig.json',
];
const ROOMS = ['core', 'text', 'world', 'engine', 'faces'] as const;

const OUTSIDE = ['../main.ts', '../driver/x.ts'];
const importing = (room: string, specifier: string): readonly [string, string] => [
  `src/${room}/imports-${specifier.replaceAll(/[^a-z]+/g, '-')}.ts`,
  `import { x } from '${specifier}';\nexport const y = x;\n`,
];

/** For each room a line it may not hold; one file each. */
const FORBIDDEN_IMPORTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ROOMS.flatMap((room, place) =>
      [...ROOMS.slice(place + 1).map((other) => `../${other}/x.ts`), ...OUTSIDE].map((specifier) =>
        importing(room, specifier),
      ),
    ),
  ),
  ...Object.fromEntries(['world', 'engine', 'faces'].map((room) => importing('driver', `../${room}/x.ts`))),
  'src/core/imports-node.ts': "import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n",
  'src/text/imports-node.ts': "import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n",
  'src/engine/imports-node.ts': "import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n",
  'src/faces/imports-fs.ts': "import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n",
  'src/faces/cli/imports-fs-promises.ts': "import { readFile } from 'node:fs/promises';\nexport const y = readFile;\n",
  'src/faces/imports-processes.ts': "import { spawn } from 'node:child_process';\nexport const y = spawn;\n",
  'src/engine/imports-world.ts': "import { x } from '../world/x.ts';\nexport const y = x;\n",
};

const ALLOWED_IMPORTS: Readonly<Record<string, string>> = {
  'src/text/may-import-core.ts': "import { x } from '../core/x.ts';\nexport const y = x;\n",
  'src/world/may-import-text.ts': "import { x } from '../text/x.ts';\nexport const y = x;\n",
  'src/engine/may-name-world.ts': "import type { X } from '../world/x.ts';\nexport type Y = X;\n",
  'src/driver/may-import-text.ts': "import { x } from '../text/x.ts';\nexport const y = x;\n",
  'src/faces/may-import-paths.ts': "import { join } from 'node:path';\nexport const y = join;\n",
  'src/faces/may-import-engine.ts': "import { x } from '../engine/x.ts';\nexport const y = x;\n",
};

/** Expressions that mean a clock, a file, a process or the network. */
const IMPURE: Readonly<Record<string, string>> = {
  process: 'export const y = process.pid;\n',
  'node-fs': "import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n",
  setTimeout: 'export const y = setTimeout(() => {}, 1);\n',
  console: "export const y = console.log('x');\n",
  fetch: "export const y = fetch('x');\n",
};
const PURE_ROOMS = ['core', 'text'] as const;
const impureFile = (room: string, name: string): string => `src/${room}/impure-${name}.ts`;

/** For each shelf every later one of its row, and a file beside them. */
const UPWARD_IMPORTS: Readonly<Record<string, string>> = Object.fromEntries(
  SHELVES.flatMap(({ folder, order }) =>
    order.flatMap((shelf, place) =>
      [...order.slice(place + 1).map((later) => `${later}/x`), 'x'].flatMap((to) => {
        const name = `${folder}/${shelf}/imports-${to.replace('/', '-')}`;
        return [
          [`${name}.ts`, `import { x } from '../${to}.ts';\nexport const y = x;\n`],
          [`${name}-type.ts`, `import type { X } from '../${to}.ts';\nexport type Y = X;\n`],
        ];
      }),
    ),
  ),
);

/** For each shelf all before it. */
const DOWNWARD_IMPORTS: Readonly<Record<string, string>> = Object.fromEntries(
  SHELVES.flatMap(({ folder, order }) =>
    order.flatMap((shelf, place) =>
      order
        .slice(0, place)
        .map((earlier) => [
          `${folder}/${shelf}/imports-${earlier}.ts`,
          `import { x } from '../${earlier}/x.ts';\nexport const y = x;\n`,
        ]),
    ),
  ),
);

/** What a shelf may not import, no folder in it may either. */
const OUT_OF_DRAWERS: Readonly<Record<string, string>> = {
  'src/world/git/run/imports-keep.ts': "import { x } from '../../keep/x.ts';\nexport const y = x;\n",
  'src/world/agents/run/imports-seal.ts': "import { x } from '../../seal/x.ts';\nexport const y = x;\n",
  'src/world/git/files/imports-engine.ts': "import { x } from '../../../engine/x.ts';\nexport const y = x;\n",
};

let copy = '';

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
}

interface Diagnostic {
  readonly filename: string;
  readonly code: string;
}

const lint = (): readonly Diagnostic[] =>
  (
    JSON.parse(runTool('oxlint', ['-c', 'oxlint.config.mjs', '-f', 'json', 'src'], copy).output) as {
      diagnostics: readonly Diagnostic[];
    }
  ).diagnostics;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'paralph-fences-'));
  for (const path of CONFIGS) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const room of ROOMS) plant({ [`src/${room}/x.ts`]: 'export const x = 1;\nexport type X = number;\n' });
  for (const path of ['src/main.ts', 'src/driver/x.ts']) plant({ [path]: 'export const x = 1;\n' });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the fences between rooms', () => {
  it('fire on every forbidden import', () => {
    plant(FORBIDDEN_IMPORTS);
    const fired = lint().filter((found) => found.code.includes('no-restricted-imports'));
    const files = new Set(fired.map((found) => found.filename));
    expect([...files].sort()).toEqual(Object.keys(FORBIDDEN_IMPORTS).sort());
    for (const path of Object.keys(FORBIDDEN_IMPORTS)) rmSync(join(copy, path));
  });

  it('fire on every import of a later shelf, of a type as well', () => {
    const forbidden = { ...UPWARD_IMPORTS, ...OUT_OF_DRAWERS };
    plant({ ...forbidden, ...DOWNWARD_IMPORTS });
    const fired = lint().filter((found) => found.code.includes('no-restricted-imports'));
    const files = new Set(fired.map((found) => found.filename));
    for (const path of Object.keys({ ...forbidden, ...DOWNWARD_IMPORTS })) rmSync(join(copy, path));
    expect([...files].sort()).toEqual(Object.keys(forbidden).sort());
  });

  it('stay quiet on what is allowed', () => {
    plant(ALLOWED_IMPORTS);
    expect(lint()).toEqual([]);
    for (const path of Object.keys(ALLOWED_IMPORTS)) rmSync(join(copy, path));
  });

  it('keep clocks and dice out of the pure rooms', () => {
    plant({
      'src/core/clock.ts': 'export const y = new Date();\n',
      'src/core/dice.ts': 'export const y = Math.random();\n',
      'src/text/dice.ts': 'export const y = Math.random();\n',
    });
    const files = lint().map((found) => found.filename);
    expect(files.sort()).toEqual(['src/core/clock.ts', 'src/core/dice.ts', 'src/text/dice.ts']);
    for (const path of files) rmSync(join(copy, path));
  });
});

describe('the compiler', () => {
  it.each(PURE_ROOMS)('knows no outside world in %s', (room) => {
    const files = Object.keys(IMPURE).map((name) => impureFile(room, name));
    plant(Object.fromEntries(Object.entries(IMPURE).map(([name, text]) => [impureFile(room, name), text])));
    const walled = runTool('tsc', ['-p', `src/${room}/tsconfig.json`], copy);
    const open = runTool('tsc', ['-p', 'tsconfig.json'], copy);
    for (const path of files) rmSync(join(copy, path));
    const refused = files.filter((path) => walled.output.includes(path));
    expect(refused).toEqual(files);
    expect(open, 'the same files are fine where the world may be named').toEqual({ code: 0, output: '' });
  });
});

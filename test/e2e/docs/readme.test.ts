import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, fakeProgram } from '../harness/shell-agent.ts';
import { fenceOf, readPage, shellLines } from './pages.ts';

/** What a slow typist manages in five minutes: 40 words a minute, five characters each. */
const TYPED_CHARS_MAX = 5 * 40 * 5;

/** Works as a client called claude would: it reads the prompt, writes what the task asks for, and says that it is done. */
const AGENT = `
[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit 0; }
prompt=$(cat)
case "$prompt" in
  *'# Task login:'*) echo 'export const form = ["name", "password"];' > src/login.js ;;
  *'# Task add-a-logout-button:'*) echo 'export const logout = true;' > src/logout.js ;;
  *'# Task write-the-landing-page:'*) echo '<h1>Shop</h1>' > src/index.html ;;
  *) echo 'header { position: sticky }' > src/header.css ;;
esac
${claudeLines('<promise>COMPLETE</promise>', 0.01)}
`;

/** A small shop with a test suite of its own. */
const SHOP: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/cart.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  'test/cart.test.js': `import assert from 'node:assert';
import test from 'node:test';
import { total } from '../src/cart.js';
test('adds up', () => assert.equal(total([1, 2]), 3));
`,
};

/** What the README has one type, in its order, and what one then reads. */
const TRANSCRIPT: readonly (readonly [string, RegExp])[] = [
  ['ralph run --parallel --max-workers 3 --dry-run', /login[^]*add-a-logout-button[^]*nothing was changed/],
  ['ralph run --parallel --max-workers 3', /login.* landed as [0-9a-f]+[^]*3 landed, 0 ready, 0 parked/],
  ['ralph status', /3 landed/],
  ['ralph why login', /It has landed, as [0-9a-f]+/],
  ['ralph logs login -f', /I will write the file/],
  ['ralph run "make the header sticky"', /landed as [0-9a-f]+/],
  ['ralph loops', /4 landed/],
];

it('a newcomer with the README alone has tasks landed after five minutes of typing', async () => {
  const one = scratch();
  const bin = fakeProgram(one, 'claude', AGENT);
  const env = { PATH: `${bin}:${one.env['PATH']}`, COLUMNS: '100', IS_SANDBOX: '1' };
  for (const [path, text] of Object.entries(SHOP)) one.put(path, text);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'A shop');

  const tasks = fenceOf('README.md', 'markdown');
  one.put('PRD.md', tasks);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'Plan');
  expect(readPage('README.md')).toContain('`ralph init` writes a commented `ralph.toml`');
  expect((await ralph(one, ['init'], { env })).code).toBe(0);
  expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toContain('"npm test"');
  const settings = fenceOf('README.md', 'toml');
  one.put('ralph.toml', settings);

  const typed = shellLines('README.md')
    .map(({ text }) => text)
    .filter((line) => line.startsWith('ralph '));
  expect(typed).toEqual(TRANSCRIPT.map(([line]) => line));
  for (const [line, reads] of TRANSCRIPT) {
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).slice(1).map((word) => word.replaceAll('"', ''));
    const { code, stdout, stderr } = await ralph(one, words, { env, isCheckoutGuarded: false });
    expect(code, `${line}\n${stdout}\n${stderr}`).toBe(0);
    expect(`${stdout}${stderr}`, line).toMatch(reads);
  }
  expect(one.git('show', 'main:PRD.md')).not.toContain('- [ ]');
  expect(one.git('ls-tree', '--name-only', 'main', 'src/').split('\n')).toEqual(
    expect.arrayContaining(['src/login.js', 'src/logout.js', 'src/index.html', 'src/header.css']),
  );
  // Comments of the settings and of the shell lines are for reading.
  const written = [tasks, settings.replaceAll(/\s*#.*/g, ''), 'ralph init', ...typed].join('\n');
  expect(written.length).toBeLessThanOrEqual(TYPED_CHARS_MAX);
});

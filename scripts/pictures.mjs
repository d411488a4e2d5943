#!/usr/bin/env node
// Draws docs/pictures/ from real runs in a terminal: `npm run docs` calls it where tmux is. What differs from run to run
// (loop ids, commits, times) is written the same each time, so that a picture changes only when the product does.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { settled } from './lib/pictures/settled.mjs';
import { makeShop } from './lib/pictures/shop.mjs';
import { openTerminal } from './lib/pictures/terminal.mjs';
import { inRoot, isCalled } from './lib/root.mjs';
import { terminalSvg } from './lib/terminal-svg.mjs';
import { isThere } from './lib/tools.mjs';
import { setup } from './setup.mjs';

const COLUMNS = 108;
const ROWS = 40;

/** Each agent does its part when the one before it is seen to be done: so things happen in one order on any machine. */
async function walk(root, terminal, steps) {
  for (const [pattern, ...turns] of steps) {
    await terminal.showing(pattern);
    for (const turn of turns) writeFileSync(join(root, 'turns', turn), '');
  }
}

async function drawRun(open, root) {
  const cwd = makeShop(root, { tasks: ['login', 'search', 'colour', 'logout'] });
  const terminal = open(cwd, 'ralph run --parallel --merge-policy auto_merge --max-workers 3');
  await walk(root, terminal, [
    [/colour starts in slot/, 'login-1'],
    [/logout starts in slot/, 'search-1'],
    [/search gates red/, 'logout-1'],
    [/logout landed/, 'colour-1'],
    [/colour landed/, 'search-2'],
  ]);
  return { run: await terminal.ended() };
}

/** A run in the middle of its work, then what it reports. */
async function drawView(open, root) {
  const tasks = ['login', 'search', 'colour', 'logout', 'export', 'import'];
  const cwd = makeShop(root, { tasks, asks: true });
  const running = open(cwd, 'ralph run --parallel --merge-policy auto_merge --max-workers 3');
  await walk(root, running, [
    [/colour starts in slot/, 'login-1'],
    [/export starts in slot/, 'colour-1'],
    [/logout starts in slot/, 'logout-1'],
    [/logout landed/, 'search-1'],
    [/search gates red/],
  ]);
  const watching = open(cwd, 'ralph watch', 16);
  const view = await watching.showing(/The quote was never closed[^]*\? keys/);
  await walk(root, watching, [
    [/2 landed/, 'search-2'],
    [/3 landed/, 'export-1'],
    [/4 landed/, 'import-1'],
    [/5 landed/],
  ]);
  watching.press('q');
  watching.close();
  await running.ended();
  return { view, report: await open(cwd, 'ralph report').ended() };
}

async function drawReview(open, root) {
  const cwd = makeShop(root, { tasks: ['login'] });
  const running = open(cwd, 'ralph run');
  await walk(root, running, [[/login starts in slot/, 'login-1']]);
  await running.ended();
  const terminal = open(cwd, 'ralph review login', 22);
  const review = await terminal.showing(/\+ sh login\.sh ada wrong/);
  return { review };
}

async function drawDemo(open, root) {
  const terminal = open(root, 'ralph demo');
  await walk(root, terminal, [
    [/blue starts in slot/, 'english-1'],
    [/english landed/, 'blue-1'],
    [/blue landed/, 'manual-1', 'manual-2'],
    [/manual landed/, 'green-1'],
    [/green goes back to work/, 'french-1'],
    [/french landed/, 'goodbye-1'],
    [/goodbye landed/, 'version-1', 'version-2'],
    [/version landed/, 'green-2'],
    [/green landed/, 'red-1', 'red-2', 'red-3'],
    [/red parked/, 'liar-1', 'liar-2', 'liar-3'],
  ]);
  return { demo: await terminal.ended() };
}

export const DRAWS = [drawDemo, drawRun, drawView, drawReview];

const TITLES = {
  demo: 'ralph demo: nine tasks in a scratch repository',
  run: 'ralph run: three loops, one red, four landed',
  view: 'ralph watch: one task needs you, two loops work',
  review: 'ralph review: what a loop changed, before it lands',
  report: 'ralph report: the morning after',
};

async function drawn(draw) {
  const root = mkdtempSync(join(tmpdir(), 'ralph-pictures-'));
  mkdirSync(join(root, 'turns'));
  const terminals = [];
  const open = (cwd, command, rows = ROWS) => {
    const terminal = openTerminal({ root, name: `t${terminals.length}`, cwd, command, columns: COLUMNS, rows });
    terminals.push(terminal);
    return terminal;
  };
  try {
    return await draw(open, root);
  } finally {
    for (const terminal of terminals) terminal.close();
    // Agents that still wait for a turn end without it.
    rmSync(join(root, 'turns'), { recursive: true, force: true });
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Every picture, by its path. Null: there is no tmux, and the pictures stay as they are. */
export async function pictures(draws = DRAWS) {
  if (!isThere('tmux')) return null;
  const screens = {};
  for (const draw of draws) Object.assign(screens, await drawn(draw));
  return Object.fromEntries(
    Object.entries(screens).map(([name, screen]) => [
      `docs/pictures/${name}.svg`,
      terminalSvg(settled(screen), { title: TITLES[name], columns: COLUMNS }),
    ]),
  );
}

if (isCalled(import.meta.url)) {
  console.error(await setup());
  console.error(await build());
  mkdirSync(inRoot('docs', 'pictures'), { recursive: true });
  for (const [path, text] of Object.entries((await pictures()) ?? {})) writeFileSync(inRoot(path), text);
}

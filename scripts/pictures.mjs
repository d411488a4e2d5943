#!/usr/bin/env node
// Draws docs/pictures/ from real runs in a terminal: `npm run docs` calls it where tmux is. What differs from run to run
// (loop ids, commits, times) is written the same each time, so that a picture changes only when the product does.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { isThere } from './lib/tools.mjs';
import { inRoot, isCalled } from './lib/root.mjs';
import { terminalSvg } from './lib/terminal-svg.mjs';
import { setup } from './setup.mjs';

const COLUMNS = 104;
const ROWS = 40;
const ENDED = '<ended>';
const WAIT_MS_MAX = 60_000;
const LOOK_MS = 100;

/** What each agent does, and after how long: far enough apart that what happens comes in one order. */
const AGENT = `#!/bin/sh
prompt=$(cat)
id=$(printf '%s\\n' "$prompt" | sed -n 's/^# Task \\([a-z]*\\):.*/\\1/p' | head -1)
case "$id" in login) sleep 0.3;; logout) sleep 0.6;; search) sleep 4;; colour) sleep 6;; esac
case "$id $prompt" in
  search*'gate failed'*|search*'is red'*|search*'failing'*) echo 'search() { grep "$1" list; }' > search.sh;;
  search*) echo 'search() { grep "$1 list; }' > search.sh;;
  *) echo "# $id" > "$id.sh";;
esac
echo '<promise>COMPLETE</promise>'
`;

const FILES = {
  'PRD.md': `# Shop

- [ ] Add a login form <!-- id: login --> <!-- group: auth -->
- [ ] Search the list <!-- id: search -->
- [ ] Choose a colour <!-- id: colour -->
- [ ] Add a logout button <!-- id: logout --> <!-- group: auth -->
`,
  'ralph.toml': `agent = "scripted"

[agents.scripted]
command = ["./agent"]

[gates]
commands = ["sh check.sh"]

[parallel]
enabled = true
merge_policy = "auto_merge"
`,
  'check.sh': 'for file in *.sh; do sh -n "$file" || exit 1; done\n',
};

const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' });

function makeRepository(root) {
  const repository = join(root, 'shop');
  mkdirSync(repository);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(repository, name), text);
  writeFileSync(join(repository, 'agent'), AGENT);
  chmodSync(join(repository, 'agent'), 0o755);
  git(repository, 'init', '--quiet', '--initial-branch', 'main');
  git(repository, 'config', 'user.name', 'A Person');
  git(repository, 'config', 'user.email', 'person@example.com');
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'Start');
  return repository;
}

/** A terminal of its own, with nothing of the caller's but the path. */
function openTerminal(root, cwd, command) {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ralph'), `#!/bin/sh\nexec '${process.execPath}' '${inRoot('dist', 'main.js')}' "$@"\n`);
  chmodSync(join(bin, 'ralph'), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: root,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMUX_TMPDIR: root,
  };
  const tmux = (...args) => execFileSync('tmux', ['-L', 'pictures', ...args], { cwd, env, encoding: 'utf8' });
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-x',
    String(COLUMNS),
    '-y',
    String(ROWS),
    'sh',
    '-c',
    `printf '$ %s\\n' '${command}'; ${command}; printf '${ENDED}'; cat`,
  );
  return {
    press: (key) => tmux('send-keys', key),
    screen: () => tmux('capture-pane', '-e', '-p', '-S', '-200'),
    close: () => tmux('kill-server'),
  };
}

async function until(terminal, isThere) {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (Date.now() < deadline) {
    const screen = terminal.screen();
    if (isThere(screen)) return screen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`the terminal never showed it:\n${terminal.screen()}`);
}

const commitOf = (n) =>
  [3, 5, 7]
    .map((factor) => Math.imul(n + factor, 0x9e3779b1) >>> 16)
    .map((part) => part.toString(16).padStart(4, '0'))
    .join('');

/** Ids, commits and times as they would be in any run. */
function settled(screen) {
  const seen = new Map();
  const numbered = (text, make) => {
    if (!seen.has(text)) seen.set(text, make(seen.size));
    return seen.get(text);
  };
  return screen
    .replaceAll(/\b(login|search|colour|logout)-[0-9a-z]{4}\b/g, '$1-3f2a')
    .replaceAll(/\b[0-9a-f]{7,12}\b(?=[^-]|$)/g, (id) =>
      /\d/.test(id) ? numbered(id.slice(0, 7), commitOf).slice(0, id.length) : id,
    )
    .replaceAll(/\b\d+\.\ds\b/g, '1.2s')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '22:14:07');
}

async function drawRun(root) {
  const terminal = openTerminal(root, makeRepository(root), 'ralph run --max-workers 3');
  try {
    const screen = await until(terminal, (text) => text.includes(ENDED));
    return settled(screen.slice(0, screen.indexOf(ENDED)));
  } finally {
    terminal.close();
  }
}

/** Every picture, by its path. Null: there is no tmux, and the pictures stay as they are. */
export async function pictures() {
  if (!isThere('tmux')) return null;
  const root = mkdtempSync(join(tmpdir(), 'ralph-pictures-'));
  try {
    const title = 'ralph run: three loops, one red, four landed';
    return { 'docs/pictures/run.svg': terminalSvg(await drawRun(root), { title, columns: COLUMNS }) };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (isCalled(import.meta.url)) {
  console.error(await setup());
  console.error(await build());
  for (const [path, text] of Object.entries((await pictures()) ?? {})) {
    mkdirSync(inRoot('docs', 'pictures'), { recursive: true });
    writeFileSync(inRoot(path), text);
  }
}

// A terminal for pictures: tmux plays it, and nothing of the caller's is in it but the path.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../root.mjs';

const ENDED = '<ended>';
const WAIT_MS_MAX = 90_000;
const LOOK_MS = 50;
const LINES_KEPT = 400;

const RALPH = `exec '${process.execPath}' '${inRoot('dist', 'main.js')}' "$@"`;
/** An agent that sleeps for a moment sleeps until it is its turn: `turns/TASK-ITERATION` in its home. */
const SLEEP = `[ -n "$RALPH_TASK_ID" ] || exec /bin/sleep "$@"
until [ -e "$HOME/turns/$RALPH_TASK_ID-$RALPH_ITERATION" ] || [ ! -d "$HOME/turns" ]; do /bin/sleep 0.05; done`;

function programs(root) {
  const bin = join(root, 'bin');
  if (existsSync(bin)) return bin;
  mkdirSync(bin);
  for (const [name, script] of Object.entries({ ralph: RALPH, sleep: SLEEP })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** Starts one command line, with its prompt above it as a person would see it. */
export function openTerminal({ root, name, cwd, command, columns, rows }) {
  const env = {
    PATH: `${programs(root)}:${process.env.PATH}`,
    HOME: root,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMUX_TMPDIR: root,
    TZ: 'UTC',
  };
  const tmux = (...args) => execFileSync('tmux', ['-L', name, ...args], { cwd, env, encoding: 'utf8' });
  const script = `printf '$ %s\\n' '${command}'; ${command}; printf '${ENDED}'; cat`;
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, 'sh', '-c', script);
  const everything = () => tmux('capture-pane', '-e', '-p', '-S', `-${LINES_KEPT}`);
  async function until(isThere) {
    const deadline = Date.now() + WAIT_MS_MAX;
    while (Date.now() < deadline) {
      const screen = everything();
      if (isThere(screen)) return screen;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw new Error(`the terminal never showed it:\n${everything()}`);
  }
  return {
    press: (key) => tmux('send-keys', key),
    /** What is on it, once it shows the pattern; colours are left out of the comparison. */
    showing: (pattern) => until((screen) => pattern.test(withoutColours(screen))),
    /** Everything that was printed, once the command has ended. */
    ended: async () => {
      const screen = await until((text) => text.includes(ENDED));
      return screen.slice(0, screen.indexOf(ENDED));
    },
    close: () => {
      try {
        tmux('kill-server');
      } catch {
        // It is gone already.
      }
    },
  };
}

// oxlint-disable-next-line no-control-regex
const withoutColours = (screen) => screen.replaceAll(/\u001b\[[0-9;]*m/g, '');

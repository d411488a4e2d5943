import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { WriteStream } from 'node:tty';

/**
 * Outlives us by a moment: when its pipe closes and nobody has said goodbye, the terminal is put back. The modes are put
 * back only where they are still ours: a shell that is awake again has set its own.
 */
const GUARD = `trap '' HUP INT TERM TTOU TTIN TSTP
saved=$(stty -g <&3) || exit 0
echo ready
ours=
while read -r word; do
  case $word in
    on) ours=$(stty -g <&3) ;;
    keys) stty -icanon -echo min 1 time 0 <&3; ours=$(stty -g <&3) ;;
    off) ours= ;;
    bye) [ -z "$ours" ] || stty "$saved" <&3; exit 0 ;;
  esac
done
[ -n "$ours" ] || exit 0
[ "$(stty -g <&3)" != "$ours" ] || stty "$saved" <&3
printf '\\033[?2026l\\033[m\\033[r\\033[?7h\\033[?25h%b' "$1" >&3`;

interface Guard {
  readonly say: (word: 'on' | 'off' | 'bye' | 'keys') => void;
}

/** A shell of its own session, which no signal to our group reaches. `more`: what it writes last. */
export function startGuard(terminal: WriteStream, more: string): Promise<Guard> {
  const fd = (terminal as unknown as { readonly fd: number }).fd;
  const child = spawn('/bin/sh', ['-c', GUARD, 'ralph-terminal-guard', more], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore', fd],
  });
  const { stdin, stdout } = child;
  const say: Guard['say'] = (word) => void stdin?.write(`${word}\n`);
  stdin?.on('error', () => {});
  return new Promise((resolve) => {
    const ready = (): void => {
      // It must not keep us alive.
      for (const one of [child, stdin, stdout]) (one as { unref?: () => void } | null)?.unref?.();
      resolve({ say });
    };
    // Without a shell or without stty the view is shown all the same.
    for (const end of ['error', 'exit']) child.once(end, ready);
    stdout?.once('data', ready);
  });
}

/** Whether this terminal is ours now: who reads from one in the background is stopped. */
export function hasTerminal(): boolean {
  try {
    // Behind the name of the program: state, parent, group, session, terminal, the group that has it.
    const [, , group, , , owner] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return group === owner;
  } catch {
    const { stdout, status } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return status === 0 && stdout.includes('+');
  }
}

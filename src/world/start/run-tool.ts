import { spawn } from 'node:child_process';
import { clipboardSequence } from '../../text/start/tmux-words.ts';
import { findExecutable } from '../processes/environment.ts';

interface ToolOrder {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** What it reads; null: nothing. */
  readonly input: string | Buffer | null;
}

export interface ToolAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Something a tool leaves behind may hold its output open for ever. */
const LAST_WORDS_MS = 200;
const SAID_CHARS_MAX = 100_000;

/** Runs a short helper program of the user's; one that fails, hangs or cannot be started is merely not ok. */
export function runTool(argv: readonly string[], { env, cwd, timeoutMs, input }: ToolOrder): Promise<ToolAnswer> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' };
    let code: number | null = null;
    const child = spawn(program, args, { cwd, env, stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    const timer = setTimeout(() => void child.kill('SIGKILL'), timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ ok: code === 0, ...said });
    };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        if (said[name].length < SAID_CHARS_MAX) said[name] += text;
      });
    child.on('error', end);
    child.on('exit', (exit) => {
      code = exit;
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.on('close', end);
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

interface ClipboardPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** A terminal that could be asked; null: there is none. */
  readonly terminal: { readonly write: (text: string) => unknown } | null;
}

interface Tool {
  readonly argv: readonly string[];
  /** Variables without which it most likely reaches nothing. */
  readonly needs: readonly string[];
  /** Without them it would reach something else. */
  readonly isStrict?: true;
  readonly encode?: (text: string) => Buffer;
}

const TIMEOUT_MS = 2000;
/** More than this, and terminals drop it. */
const TERMINAL_BYTES_MAX = 50_000;

const TOOLS: readonly Tool[] = [
  { argv: ['pbcopy'], needs: [] },
  { argv: ['wl-copy'], needs: ['WAYLAND_DISPLAY'] },
  { argv: ['xclip', '-selection', 'clipboard'], needs: ['DISPLAY'] },
  { argv: ['xsel', '--clipboard', '--input'], needs: ['DISPLAY'] },
  { argv: ['clip.exe'], needs: [], encode: forWindows },
  { argv: ['tmux', 'load-buffer', '-w', '-'], needs: ['TMUX'], isStrict: true },
];

/** Who has the text now: a tool by its name, the `terminal` (which does not answer), or nobody. */
export async function copyToClipboard(text: string, { env, cwd, terminal }: ClipboardPlace): Promise<string | null> {
  const lacks = ({ needs }: Tool): boolean => needs.some((variable) => (env[variable] ?? '') === '');
  // A tool may know a way that no variable tells; without one it fails at once.
  const likely = TOOLS.filter((tool) => !lacks(tool));
  const rest = TOOLS.filter((tool) => lacks(tool) && tool.isStrict !== true);
  for (const { argv, encode } of [...likely, ...rest]) {
    const [name = '', ...args] = argv;
    const program = findExecutable(name, env, cwd);
    if (program === null) continue;
    const input = encode?.(text) ?? text;
    const { ok } = await runTool([program, ...args], { env, cwd, timeoutMs: TIMEOUT_MS, input });
    if (ok) return name;
  }
  const bytes = Buffer.from(text, 'utf8');
  if (terminal === null || env['TERM'] === 'dumb' || bytes.length > TERMINAL_BYTES_MAX) return null;
  terminal.write(clipboardSequence(bytes.toString('base64')));
  return 'terminal';
}

/** It takes bytes for the code page of the day unless they begin like UTF-16. */
function forWindows(text: string): Buffer {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return Buffer.from(text, 'latin1');
  return Buffer.from(`\uFEFF${text}`, 'utf16le');
}

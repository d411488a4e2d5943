import { clipboardSequence } from '../../text/start/tmux-words.ts';
import { findExecutable } from '../processes/environment.ts';
import { runProgram } from '../processes/run-program.ts';

interface ToolOrder {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** What it reads; null: nothing. */
  readonly input: string | Buffer | null;
  /** What it does is not ours: neither our end nor a limit of ours ends it. */
  readonly goesOn?: boolean;
}

export interface ToolAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const SAID_CHARS_MAX = 100_000;

/** Runs a short helper program of the user's; one that fails, hangs or cannot be started is merely not ok. */
export async function runTool(argv: readonly string[], { input, ...order }: ToolOrder): Promise<ToolAnswer> {
  const { code, stdout, stderr } = await runProgram(argv, {
    ...order,
    charsMax: SAID_CHARS_MAX,
    ...(input === null ? {} : { input }),
  });
  return { ok: code === 0, stdout, stderr };
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

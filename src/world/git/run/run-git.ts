import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../../core/model/errors.ts';
import { systemFailure } from '../../os/system-failure.ts';
import { distrust } from './distrust.ts';
import { ASK_FILTERS, filterMissing, filtersIn, isBlamed, isMissing } from './filter-settings.ts';

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The same, with the bytes as git wrote them: file contents and names need not be UTF-8. */
export interface GitBytes {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly cwd: string;
  /** Laid over `gitEnvironment()`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** The repository there may be one of an agent's making: none of the programs that it names runs. */
  readonly isStrange?: boolean;
  /** Exit codes that are answers and not failures. Default: 0 alone. */
  readonly ok?: readonly number[];
  readonly timeoutMs?: number;
  /** Ends it, with everything it started. */
  readonly signal?: AbortSignal;
  /** Takes what it prints, however much, as it comes; it stays open. Closed meanwhile, it is no failure: somebody has seen enough. */
  readonly sink?: Writable;
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const STDERR_LINES_SHOWN = 5;

/**
 * Flags for porcelain in trees that agents write: settings they could plant in `.git/config` must not run programs in us
 * nor change what a command does. Filters and merge drivers have names that nobody knows beforehand: `distrust` finds those that
 * were planted, and plumbing uses the view.
 */
export const HARDENED: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=true',
  'core.quotePath=false',
  'core.fsync=committed',
  'credential.helper=',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'merge.verifySignatures=false',
  'merge.autoStash=false',
  'rerere.enabled=false',
  'submodule.recurse=false',
  // What it says of parents and trees is believed unread: whoever can write a file there makes up a history.
  'core.commitGraph=false',
  // Git would look at the files of a repository inside by that repository's settings, so by its programs: `distrust` puts them
  // out of force where somebody has to look there.
  'diff.ignoreSubmodules=dirty',
  'protocol.ext.allow=never',
  'advice.detachedHead=false',
  'color.ui=false',
].flatMap((setting) => ['-c', setting]);

let lastEnvironment: { readonly mark: string; readonly env: Readonly<Record<string, string>> } | null = null;

/** Our environment without any `GIT_*`: a hook that starts us would otherwise steer every git we start. */
export function gitEnvironment(): Readonly<Record<string, string>> {
  // Copying the environment takes longer than anything else in starting git, and of what matters to git little ever changes.
  const mark = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'].map((name) => process.env[name]).join('\0');
  if (lastEnvironment?.mark !== mark) lastEnvironment = { mark, env: makeEnvironment() };
  return lastEnvironment.env;
}

function makeEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith('GIT_')) env[name] = value;
  }
  return {
    ...env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    // Everyone who can write a ref or a file of the repository could put another object in the place of the one an id names.
    GIT_NO_REPLACE_OBJECTS: '1',
    // A file that cannot exist: of an empty one git says that it is out of date.
    GIT_GRAFT_FILE: '/dev/null/none',
    // A git that outlives us must not die of telling its progress to nobody.
    GIT_PROGRESS_DELAY: '86400',
    LC_ALL: 'C',
  };
}

/** Runs git without a shell. An exit code outside `ok` throws. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { code, stdout, stderr } = await runGitBytes(args, options);
  return { code, stdout: stdout.toString('utf8'), stderr };
}

export async function runGitBytes(args: readonly string[], options: GitOptions): Promise<GitBytes> {
  // With a git folder of the caller's own, the repository's config is not read.
  const guard =
    options.env?.['GIT_DIR'] === undefined
      ? await distrust(options.cwd, args, { list: listSettings, links: listLinks }, options.isStrange)
      : null;
  const guarded = guard === null ? options : { ...options, env: { ...options.env, ...guard.env } };
  const ended = await start(guard?.args ?? args, guarded);
  const shown = commandLine(args);
  if (ended.stopped !== null) throw new AppError('E_GIT', `${shown} ${ended.stopped}`, { facts: stderrFacts(ended) });
  if (!(options.ok ?? [0]).includes(ended.code))
    throw (await whyFilter(ended.stderr, options.cwd)) ?? failure(shown, ended, options.cwd);
  return { code: ended.code, stdout: ended.stdout, stderr: ended.stderr };
}

/** What a config file sets, or (null) what the user's own set together. Outside of any repository, and it executes nothing. */
export async function listSettings(file: string | null): Promise<string> {
  const which = file === null ? [] : ['--no-includes', '--file', file];
  const { code, stdout } = await start(['config', ...which, '-z', '--list'], {
    cwd: '/',
    env: { GIT_DIR: '/dev/null' },
  });
  // A file that git cannot read stops every command that would obey it.
  return code === 0 ? stdout.toString('utf8') : '';
}

/** Where an index links to other repositories. */
export async function listLinks(cwd: string): Promise<readonly string[]> {
  const { stdout } = await start([...HARDENED, 'ls-files', '-s', '-z'], { cwd });
  const entries = stdout.toString('latin1').split('\0');
  return entries.flatMap((entry) => /^160000 \S+ \d\t(.+)$/s.exec(entry)?.[1] ?? []);
}

/** The filter for want of which git failed; null: something else is wrong. Git does not say which it wanted, nor that it was one. */
export async function whyFilter(stderr: string, cwd: string): Promise<AppError | null> {
  if (!/not found|No such file|cannot run|not a git command/.test(stderr) || !existsSync(cwd)) return null;
  const { stdout } = await start(ASK_FILTERS, { cwd });
  const blamed = filtersIn(stdout.toString('utf8')).find(
    (filter) => isBlamed(filter, stderr) && isMissing(filter, gitEnvironment(), cwd),
  );
  return blamed === undefined ? null : filterMissing(blamed);
}

interface Ended extends GitBytes {
  /** Why it did not end by itself. */
  readonly stopped: string | null;
}

function start(args: readonly string[], options: GitOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // Its own session: Ctrl-C in the terminal must not hit a ref update half-way, and ssh must find no terminal to ask on.
    const child = spawn('git', args, {
      cwd: options.cwd,
      env: { ...gitEnvironment(), ...options.env },
      stdio: 'pipe',
      detached: true,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let stopped: string | null = null;
    const stop = (why: string): void => {
      stopped ??= why;
      if (child.pid === undefined) return;
      killGroup(child.pid);
      // What left the group (an ssh that stays to be used again) may hold our pipes open for as long as it likes.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    };
    const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES_MAX) stop(`printed more than ${OUTPUT_BYTES_MAX} bytes`);
      else chunks.push(chunk);
    };
    const { timeoutMs, signal: ending, sink } = options;
    const timer =
      timeoutMs === undefined ? null : setTimeout(() => stop(`took longer than ${timeoutMs} ms`), timeoutMs);
    const onEnding = (): void => stop('was stopped');
    let isUnheard = false;
    const onUnheard = (): void => {
      isUnheard = true;
      stop('was not heard');
    };
    const settled = (): void => {
      sink?.off('close', onUnheard);
      if (timer !== null) clearTimeout(timer);
      ending?.removeEventListener('abort', onEnding);
    };
    child.on('error', (error) => {
      settled();
      reject(startFailure(error, options.cwd));
    });
    // Out of file handles there is a child without streams, and the error comes later.
    if ((child.stdout as Readable | undefined) === undefined) return;
    if (sink === undefined) child.stdout.on('data', keep(out));
    else child.stdout.pipe(sink, { end: false });
    sink?.once('close', onUnheard);
    if (sink?.destroyed === true) onUnheard();
    child.stderr.on('data', keep(err));
    // git may end without reading its input; its exit code says what happened.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    ending?.addEventListener('abort', onEnding, { once: true });
    if (ending?.aborted === true) onEnding();
    child.on('close', (code, signal) => {
      settled();
      if (signal !== null) stopped ??= `was ended by ${signal}`;
      if (isUnheard) [code, stopped] = [0, null];
      resolve({ code: code ?? -1, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8'), stopped });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function startFailure(error: NodeJS.ErrnoException, cwd: string): AppError {
  if (!existsSync(cwd)) return new AppError('E_GIT', `the folder ${cwd} does not exist`, { cause: error });
  if (error.code === 'ENOENT' || error.code === 'EACCES') {
    return new AppError('E_GIT_MISSING', 'git was not found on PATH', {
      remedy: 'Install git 2.38 or newer.',
      cause: error,
    });
  }
  return systemFailure('git could not be started', error);
}

function failure(shown: string, ended: Ended, cwd: string): AppError {
  const facts = [...stderrFacts(ended), `in ${cwd}`];
  const message = `${shown} failed with exit code ${ended.code}`;
  const foreign = /safe\.directory (\S.*)$/m.exec(ended.stderr)?.[1];
  if (foreign === undefined) return new AppError('E_GIT', message, { facts });
  return new AppError('E_GIT', message, { facts, remedy: `git config --global --add safe.directory ${foreign}` });
}

function stderrFacts(ended: Ended): string[] {
  const lines = ended.stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, STDERR_LINES_SHOWN).map(withoutSecrets);
}

function commandLine(args: readonly string[]): string {
  const shown: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    // The hardening flags would hide the command they belong to.
    if (args[at] === '-c') at += 1;
    else shown.push(args[at] ?? '');
  }
  return withoutSecrets(['git', ...shown].join(' '));
}

/** A URL may carry a token. */
function withoutSecrets(text: string): string {
  return text.replaceAll(/:\/\/[^/@\s]+@/g, '://***@');
}

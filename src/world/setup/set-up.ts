import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { dirname, join } from 'node:path';
import { describeMs, describeLeftOut } from '../../core/model/describe-time.ts';
import { cleanText } from '../../text/screen/clean.ts';
import { withNotes } from '../processes/gate-orphans.ts';
import { SETUP_LONGEST_MS, missingTool, runSetup, wordsOf, missedBy, withLine } from './run-setup.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { newToken } from '../processes/marker.ts';
import { gateEnvironment } from '../processes/environment.ts';
import { runCommand } from '../processes/run-command.ts';
import { readIfThere } from '../os/read-if-there.ts';
import { isNothing } from './setup-plan.ts';
import type { RunStep } from './run-setup.ts';
import type { SetupPlan } from './setup-plan.ts';

const GRACE_MS = 3000;
const TELL_EVERY_MS = 30_000;

export interface SetupPlace {
  readonly path: string;
  /** Where it is written down how the worktree was last set up. */
  readonly record: string;
  readonly logFile: string;
  /** Where it is noted whose processes work there. */
  readonly notes: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Variables that come along though they look like credentials. */
  readonly passEnv: readonly string[];
  /** Beside those of the user. */
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

export interface SetupFailure {
  readonly command: string;
  readonly tail: string;
  readonly isConfigured: boolean;
}

export interface SetupDone {
  readonly commands: readonly string[];
  readonly durationMs: number;
  readonly failed: SetupFailure | null;
}

interface SetupRecord {
  readonly key: string;
  /** What it left that git does not track: cleared away since, it has to be made again. */
  readonly made: readonly string[];
  readonly failed: SetupFailure | null;
}

/** Whether the worktree was set up this way before, and what that made is there. */
export function isSetUp({ path, record }: Pick<SetupPlace, 'path' | 'record'>, { key }: SetupPlan): boolean {
  const last = readSetup(record);
  return last?.key === key && last.failed === null && last.made.every((name) => existsSync(join(path, name)));
}

/** How a worktree was last set up; null: it never was. */
export function readSetup(record: string): SetupRecord | null {
  try {
    return JSON.parse(readIfThere(record)?.toString() ?? 'null') as SetupRecord | null;
  } catch {
    return null;
  }
}

export const dropSetup = (record: string): void => rmSync(record, { force: true });

/** Runs what a worktree needs, unless that was done before. Null: there was nothing to do, or it was stopped. */
export async function setUp(place: SetupPlace, plan: SetupPlan): Promise<SetupDone | null> {
  if (isNothing(plan) || isSetUp(place, plan)) return null;
  // Cut short, it is done again.
  dropSetup(place.record);
  const startedMs = performance.now();
  const steps = await runSetup(plan.setup, watched(place, supervised(place)), (text) => place.tell(text));
  if (place.signal.aborted) return null;
  const failed = steps.find(({ ok }) => !ok);
  const failure =
    failed === undefined
      ? null
      : { command: wordsOf(failed.command), tail: failed.tail, isConfigured: plan.isConfigured };
  const record: SetupRecord = { key: plan.key, made: await untracked(place.path), failed: failure };
  mkdirSync(dirname(place.record), { recursive: true, mode: 0o700 });
  writeFileSync(place.record, JSON.stringify(record));
  const durationMs = Math.round(performance.now() - startedMs);
  return { commands: steps.map(({ command }) => wordsOf(command)), durationMs, failed: failure };
}

/** Whoever waits for it sees that it goes on. */
function watched({ tell }: SetupPlace, run: RunStep): RunStep {
  return async (command) => {
    const startedMs = performance.now();
    const words = wordsOf(command);
    const still = (): void => tell(`${words} runs for ${describeMs(performance.now() - startedMs)}`);
    const timer = setInterval(still, TELL_EVERY_MS).unref();
    try {
      return await run(command);
    } finally {
      clearInterval(timer);
    }
  };
}

/** As gates are run: should we die, the next one in can end it. */
function supervised({ path, logFile, notes, env, passEnv, variables, signal }: SetupPlace): RunStep {
  return async (command) => {
    const missing = missingTool(command, path, env);
    if (missing !== null) return { ok: false, tail: missing };
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    const token = newToken();
    const ran = await withNotes(notes, token, () =>
      runCommand({
        command: wordsOf(command),
        cwd: path,
        // What it runs may have been written by agents, as with gates.
        env: { ...gateEnvironment(env, passEnv), ...variables },
        logFile,
        timeoutMs: SETUP_LONGEST_MS,
        graceMs: GRACE_MS,
        signal,
        token,
      }),
    );
    const tail = cleanText(ran.tail).trim();
    const told = ran.timedOut ? withLine(tail, 'stopped after 30 minutes') : tail;
    const missed = ran.code === 0 ? [] : missedBy(wordsOf(command), { logFile, offset: ran.offset, env, passEnv });
    return { ok: ran.code === 0, tail: missed.length === 0 ? told : withLine(told, describeLeftOut(missed)) };
  };
}

/** What is there beside what git tracks, folders as one name. */
async function untracked(path: string): Promise<readonly string[]> {
  const { stdout } = await runGit([...HARDENED, 'ls-files', '--others', '--directory', '-z'], { cwd: path });
  return stdout.split('\0').filter((name) => name !== '' && !name.includes('\uFFFD'));
}

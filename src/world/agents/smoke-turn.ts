import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopId, taskId } from '../../core/model/ids.ts';
import { judge } from '../../text/agents/verdict.ts';
import { AGENT_LIMITS, ourProgram } from './run/agent-place.ts';
import { openAgents } from './agents.ts';
import { realClock } from '../os/clock.ts';
import { identityEnvironment } from '../git/run/identity.ts';
import { findRepository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { readTail } from '../os/tail.ts';
import { runFolder } from '../git/run/state-places.ts';
import type { IterationOutcome } from '../../core/model/events.ts';
import type { Failure } from '../../core/model/failure.ts';
import type { AgentSettings, Settings } from '../../core/model/settings.ts';
import type { Usage } from '../../core/model/usage.ts';

const PROMPT = 'Reply with exactly: OK';
/** One word was asked for. */
const OUTPUT_MB_MAX = 64;
const TIMEOUT_MS = 3 * 60_000;
const COMPLAINT_BYTES_MAX = 2048;
const IDENTITY = { name: 'ralph', email: 'ralph@localhost' };

export interface SmokeOrder {
  readonly name: string;
  readonly agent: AgentSettings;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface SmokeResult {
  readonly isFine: boolean;
  readonly outcome: IterationOutcome;
  readonly failure: Failure | null;
  readonly finalText: string;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
  readonly usage: Usage;
  readonly durationMs: number;
}

/** One real turn, started, watched and judged as in a loop, in a worktree of a repository that is gone afterwards. */
export async function smokeTurn({ name, agent, settings, env, signal }: SmokeOrder): Promise<SmokeResult> {
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-smoke-'));
  try {
    const cwd = await makeWorktree(scratch);
    const repo = findRepository(cwd);
    const agents = openAgents({
      repo,
      agents: new Map([[name, agent]]),
      env,
      clock: realClock,
      limits: { ...AGENT_LIMITS, outputMb: OUTPUT_MB_MAX },
      identity: IDENTITY,
      program: ourProgram(),
    });
    const iteration = { loop: loopId('smoke'), task: taskId('smoke'), n: 1, slot: 0, cwd };
    await agents.start(iteration, { agent: name, prompt: PROMPT, budgetUsd: null, guided: 0 });
    const { graceMs } = settings.limits;
    const ended = await agents.finish(iteration, { timeoutMs: TIMEOUT_MS, graceMs, signal, force: signal });
    const { end, report, durationMs } = ended;
    const { completionSignal, completionPromise } = settings;
    const { outcome, failure } = judge({ end, report, signal: completionSignal, promise: completionPromise });
    const isFine = (outcome === 'worked' || outcome === 'claimed') && failure === null;
    const complaint = readTail(join(runFolder(repo, iteration.loop, iteration.n), 'stderr.log'), COMPLAINT_BYTES_MAX);
    return { isFine, outcome, failure, finalText: report.finalText, complaint, usage: report.usage, durationMs };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Clients know whether they stand in a linked worktree, and some behave differently there: so does every loop. */
async function makeWorktree(scratch: string): Promise<string> {
  const main = join(scratch, 'main');
  const worktree = join(scratch, 'worktree');
  const git = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
    runGit([...HARDENED, ...args], { cwd, env: identityEnvironment(IDENTITY) });
  await git(scratch, 'init', '-q', '-b', 'main', main);
  await git(main, 'commit', '-q', '--allow-empty', '-m', 'Start');
  await git(main, 'worktree', 'add', '-q', '-b', 'smoke', worktree);
  return worktree;
}

import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSettings } from '../core/settings.ts';
import type { Repository } from './git/repository.ts';
import { newToken } from './ids.ts';
import { createLogCopier } from './processes/copy-log.ts';
import { agentEnvironment } from './processes/environment.ts';
import { awaitShim, readShim, startShim } from './processes/shim.ts';
import { stopTree } from './processes/stop-tree.ts';
import { readTail } from './processes/tail.ts';
import { runFolder, workerLog } from './state-places.ts';
import type { Agents, Clock, Iteration, IterationEnd } from './world.ts';

const FINAL_TEXT_BYTES = 64 * 1024;
const WORKER_LOG_BYTES_MAX = 50 * 1024 * 1024;
const POLL_MS = 250;

export interface AgentPlace {
  readonly repo: Repository;
  readonly agent: AgentSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** Runs agents as processes of their own that outlive us; their bytes go to files, never through us. */
export function openAgents(place: AgentPlace): Agents {
  return {
    wasStarted: (iteration) => readShim(folderOf(place, iteration)).state !== 'absent',
    start: (iteration, prompt) => start(place, iteration, prompt),
    finish: (iteration, options) => finish(place, iteration, options),
  };
}

const folderOf = ({ repo }: AgentPlace, { loop, n }: Iteration): string => runFolder(repo, loop, n);

async function start(place: AgentPlace, iteration: Iteration, prompt: string): Promise<void> {
  const dir = folderOf(place, iteration);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const token = newToken();
  writeFileSync(join(dir, 'prompt.md'), prompt, { mode: 0o600 });
  writeFileSync(join(dir, 'token'), token, { mode: 0o600 });
  const set = {
    ...place.agent.env,
    RALPH_TASK_ID: iteration.task,
    RALPH_LOOP_ID: iteration.loop,
    RALPH_ITERATION: String(iteration.n),
  };
  const env = agentEnvironment(place.env, { set, pass: place.agent.passEnv });
  await startShim({ dir, argv: place.agent.command, cwd: iteration.cwd, env, token });
  note(place, iteration, `iteration ${iteration.n} of ${iteration.loop} started in ${iteration.cwd}`);
}

async function finish(
  place: AgentPlace,
  iteration: Iteration,
  options: Parameters<Agents['finish']>[1],
): ReturnType<Agents['finish']> {
  const dir = folderOf(place, iteration);
  const startedMs = statSync(join(dir, 'token')).mtimeMs;
  const log = workerLog(place.repo, iteration.slot, iteration.task);
  const copiers = ['stdout.log', 'stderr.log'].map((name) =>
    createLogCopier(join(dir, name), log, { bytesMax: WORKER_LOG_BYTES_MAX }),
  );
  const deadline = AbortSignal.timeout(
    Math.max(1, Math.min(2 ** 31 - 1, Math.ceil(startedMs + options.timeoutMs - place.clock.nowMs()))),
  );
  const ended = await awaitShim(dir, {
    signal: AbortSignal.any([options.signal, deadline]),
    pollMs: POLL_MS,
    onPoll: () => {
      for (const copier of copiers) copier.copy();
    },
  });
  const sight = readShim(dir);
  const { swept } = await stopTree({
    identity: sight.state === 'running' ? sight.identity : null,
    token: readFileSync(join(dir, 'token'), 'utf8'),
    graceMs: options.graceMs,
    force: options.force,
  });
  for (const copier of copiers) copier.finish();
  const end = endOf(ended, options.signal.aborted);
  const durationMs = Math.max(0, Math.round(place.clock.nowMs() - startedMs));
  note(place, iteration, `iteration ${iteration.n} ended: ${describe(end)} after ${durationMs} ms`);
  return { end, durationMs, swept, finalText: readTail(join(dir, 'stdout.log'), FINAL_TEXT_BYTES) };
}

function endOf(ended: Awaited<ReturnType<typeof awaitShim>>, interrupted: boolean): IterationEnd {
  switch (ended.state) {
    case 'exited':
      return { how: 'exited', code: ended.code };
    case 'lost':
      return { how: 'lost' };
    case 'aborted':
      return { how: interrupted ? 'interrupted' : 'timed-out' };
  }
}

const describe = (end: IterationEnd): string => (end.how === 'exited' ? `exit ${end.code}` : end.how);

function note(place: AgentPlace, iteration: Iteration, text: string): void {
  const line = `[ralph ${new Date(place.clock.nowMs()).toISOString()}] ${text}\n`;
  try {
    appendFileSync(workerLog(place.repo, iteration.slot, iteration.task), line);
  } catch {
    // Somebody removed .ralph/logs: the run folder still holds everything.
  }
}

import { relative } from 'node:path';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import { pause } from '../../../world/os/clock.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { startDetached } from '../../../world/start/start-detached.ts';
import type { DetachedRun } from '../../../world/start/start-detached.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';

const LOOK_EVERY_MS = 100;
/** A start may have to fetch, and to read a large history. */
const STARTING_MAX_MS = 120_000;
const EXITS: ReadonlySet<number> = new Set(Object.values(EXIT));

export interface Detached {
  readonly pid: number | null;
  readonly host: string | null;
  readonly log: string | null;
  readonly watch: string | null;
  readonly stop: string | null;
}

/** The same command as a run of its own. Comes back when that is at work; what keeps it from starting is told here. */
export async function detachRun(call: Call): Promise<Answer<Detached>> {
  const clash = ['dryRun', 'events'].find((name) => call.flags[name] === true);
  if (clash !== undefined || call.flags['promptFile'] === '-')
    throw new AppError('E_USAGE', `--detach has no terminal to ${clash === undefined ? 'read from' : 'print to'}`, {
      remedy: 'ralph run --detach',
    });
  const repo = findRepository(call.cwd);
  const at = call.words.indexOf('--detach');
  const words = call.words.filter((_, index) => index !== at);
  const run = await startDetached(repo, { words: withoutFolder(words), cwd: call.cwd, env: call.env });
  const host = await joined(run, async () => {
    const { hosts } = await readState(repo);
    return Object.values(hosts).find(({ mark }) => mark.pid === run.pid)?.id ?? null;
  });
  const exit = run.exit();
  if (exit !== null) return endOf(run, exit);
  const log = relative(call.cwd, run.log);
  const stop = `kill ${run.pid}`;
  const told = `the run is detached, process ${run.pid}. watch it: ralph watch   stop it: ${stop}   its output: ${log}`;
  return { data: { pid: run.pid, host, log, watch: 'ralph watch', stop }, says: [told] };
}

/** It is where it was told to go already. */
const withoutFolder = (words: readonly string[]): readonly string[] => (words[0] === '-C' ? words.slice(2) : words);

async function joined(run: DetachedRun, hostOf: () => Promise<string | null>): Promise<string | null> {
  const deadline = performance.now() + STARTING_MAX_MS;
  for (;;) {
    const host = await hostOf();
    if (host !== null || run.exit() !== null || performance.now() >= deadline) return host;
    await Promise.race([pause(LOOK_EVERY_MS), run.ended]);
  }
}

/** It did not get as far as to work, or had nothing to do: what it said belongs here. */
function endOf({ said }: DetachedRun, exit: number): Answer<Detached> {
  const text = cleanText(said()).trimEnd();
  return {
    data: { pid: null, host: null, log: null, watch: null, stop: null },
    says: text === '' ? [] : [text],
    exit: EXITS.has(exit) ? (exit as ExitCode) : EXIT.bug,
  };
}

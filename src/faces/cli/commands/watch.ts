import type { ExitCode } from '../../../core/model/errors.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { openTasksIfAny } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import { lookOf } from '../../tui/look.ts';
import { pictureOf, watchRun } from '../../tui/watch-run.ts';
import type { Watched } from '../../tui/watch-run.ts';
import { speakRun } from '../../tui/speak-run.ts';
import { runPolicy } from '../run/policy.ts';

const COLUMNS = 100;

/** What a run does, from any terminal; it reads and writes nothing, so that to end it ends nothing else. */
export const handle: Handler = (call) => watch(call, null, call.flags['plain'] === true);

/** `first`: the loop whose changes are shown first; null: the run. `isPlain`: in sentences, also on a terminal. */
export async function watch(call: Call, first: LoopId | null, isPlain = false): Promise<ExitCode> {
  const project = await openProject(call);
  const { repo, config } = project;
  const { tracker } = await openTasksIfAny(project, await readState(repo));
  const target = config.target?.branch ?? 'main';
  const policy = runPolicy({
    settings: config.settings,
    tracker,
    target,
    agents: [],
    resolver: null,
    env: call.env,
  });
  const isTerminal = process.stdout.isTTY === true && process.stdin.isTTY === true && call.env['TERM'] !== 'dumb';
  const watched: Watched = {
    repo,
    about: {
      tracker,
      target,
      policy,
      attempts: config.settings.limits.attempts,
      limits: config.settings.project,
    },
    withTasks: async (state) => (await openTasksIfAny(project, state)).state,
    look: lookOf(call.out, call.env, { stream: process.stdout, isAscii: call.flags['ascii'] === true }),
  };
  const isOnce = call.flags['once'] === true;
  if (isPlain || (!isOnce && !isTerminal)) {
    await speakRun(watched, { say: (line) => call.out.data(line), isOnce, signal: call.signal });
    return EXIT.ok;
  }
  if (isOnce) {
    const columns = Number.isFinite(call.out.width) ? call.out.width : COLUMNS;
    for (const row of await pictureOf(watched, columns)) call.out.data(row);
    return EXIT.ok;
  }
  await watchRun(watched, {
    input: process.stdin.fd,
    output: process.stdout,
    env: call.env,
    cwd: call.cwd,
    first,
  });
  return EXIT.ok;
}

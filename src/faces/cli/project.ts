import type { Event } from '../../core/events.ts';
import { AppError } from '../../core/errors.ts';
import type { State } from '../../core/model.ts';
import { fold } from '../../core/step.ts';
import { hostsToWatch } from '../../core/reconcile.ts';
import { foldLog } from '../../engine/journal.ts';
import type { LoadedConfig } from '../../world/config-files.ts';
import { checkConfig, configError } from '../../world/config-files.ts';
import { findRepository } from '../../world/git/repository.ts';
import type { Repository } from '../../world/git/repository.ts';
import { readLogOnly } from '../../world/log/file-log.ts';
import { isAlive, isStopped } from '../../world/processes/identity.ts';
import { logFolder } from '../../world/state-places.ts';
import { problemLine } from '../../text/config/layer.ts';
import type { ConfigProblem } from '../../text/config/layer.ts';
import type { Call } from './handler.ts';

export interface Project {
  readonly repo: Repository;
  readonly config: LoadedConfig;
}

/** The repository around the caller and its settled configuration. Spawns nothing and writes nothing. */
export async function openProject(call: Call): Promise<Project> {
  const repo = findRepository(call.cwd);
  const config = await checkConfig({ root: repo.root, env: call.env, flags: call.settings });
  if (config.problems.length === 0) return { repo, config };
  const problems = config.problems.map((problem) => withFlag(call, problem));
  if (problems.some((problem) => problem.line > 0 || !problem.file.startsWith('--')))
    throw configError(problems, 'ralph config check');
  const [first = '', ...facts] = problems.map(problemLine);
  throw new AppError('E_USAGE', first, { facts, remedy: remedyFor(call, problems) });
}

/** A flag of the command is explained by its help, a key behind --set by the list of keys. */
function remedyFor(call: Call, problems: readonly ConfigProblem[]): string {
  if (problems.some(({ file }) => file.startsWith('--set '))) return 'ralph config list';
  const [first, , third] = call.words;
  return `ralph ${(first === '-C' ? third : first) ?? ''} --help`;
}

/** Names the flag that was typed, not the setting behind it. */
function withFlag(call: Call, problem: ConfigProblem): ConfigProblem {
  const flag = problem.file.startsWith('--set ') ? call.flagOf.get(problem.file.slice('--set '.length)) : undefined;
  return flag === undefined ? problem : { ...problem, file: flag };
}

/** What the log says now, with hosts that died since counted as gone: true also after a kill. */
export async function readState(repo: Repository): Promise<State> {
  const state = await foldLog(readLogOnly<Event>(logFolder(repo)), fold);
  const events = hostsToWatch(state, null).flatMap(({ id, mark }): readonly Event[] => {
    if (!isAlive(mark)) return [{ type: 'host-lost', host: id }];
    // Who is alone has nobody else to write that down.
    return isStopped(mark) ? [{ type: 'host-stopped', host: id }] : [];
  });
  if (events.length === 0) return state;
  return fold(state, { seq: state.seq, at: Date.now(), by: 'reader', events });
}

import type { Event } from '../../core/model/events.ts';
import { AppError } from '../../core/model/errors.ts';
import type { State } from '../../core/model/model.ts';
import { shellLine, shellWord } from '../../core/model/shell-word.ts';
import { fold } from '../../core/fold/fold.ts';
import { hostsToWatch } from '../../core/plan/reconcile.ts';
import { foldLog } from '../../engine/journal.ts';
import type { LoadedConfig } from '../../world/config-files.ts';
import { configError } from '../../world/config-files.ts';
import { realClock } from '../../world/os/clock.ts';
import { findRepository } from '../../world/git/run/repository.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { readLogOnly } from '../../world/log/file-log.ts';
import { isAlive, isStopped } from '../../world/processes/identity.ts';
import { logFolder } from '../../world/git/run/state-places.ts';
import { problemLine } from '../../text/config/layer.ts';
import type { ConfigProblem } from '../../text/config/layer.ts';
import { checkConfigHere } from './config-here.ts';
import type { Call } from './handler.ts';

export interface Project {
  readonly repo: Repository;
  readonly config: LoadedConfig;
}

/** The repository around the caller and its settled configuration. Writes nothing, and spawns nothing where files tell. */
export async function openProject(call: Call): Promise<Project> {
  const project = await findProject(call);
  const { elsewhere } = project.config;
  // Who only looks is told what counts.
  if (elsewhere !== null) call.out.say(call.out.style.yellow(`warning: ${ofNoUse(elsewhere)}`));
  return project;
}

/** The same for who will work: settings that were written and do not count must not be passed over. */
export async function openOwnProject(call: Call): Promise<Project> {
  const project = await findProject(call);
  refuseElsewhere(call, project.config);
  return project;
}

type Elsewhere = NonNullable<LoadedConfig['elsewhere']>;

export const ofNoUse = ({ branch, target }: Elsewhere): string =>
  `ralph.toml is on ${branch ?? 'the commit checked out here'} and not on ${target}, the branch to land on: its settings do not count`;

/** The two ways out: land where the settings are, or bring them where loops land. */
export function refuseElsewhere(call: Call, { elsewhere }: LoadedConfig): void {
  if (elsewhere === null) return;
  const { branch, target } = elsewhere;
  const commit = `git switch ${shellWord(target)} && git checkout ${shellWord(branch ?? '@{-1}')} -- ralph.toml && git commit -m 'Add ralph.toml' -- ralph.toml`;
  const isConfig = call.words.includes('config');
  const typed = isConfig ? 'ralph run' : `ralph ${shellLine(call.words)}`;
  const land = branch === null ? null : `${typed} --target ${shellWord(branch)}`;
  throw new AppError('E_CONFIG', ofNoUse(elsewhere), {
    facts: [
      ...(land === null ? [] : [`to land on ${branch ?? ''} instead: --target ${shellWord(branch ?? '')}`]),
      `to commit it on ${target}: ${commit}`,
    ],
    remedy: land ?? commit,
  });
}

/** Told to who called the command, which then is called once for each. */
export class SeveralTaskFiles extends Error {
  readonly repo: Repository;
  readonly config: LoadedConfig;
  readonly files: readonly string[];
  constructor(repo: Repository, config: LoadedConfig, files: readonly string[]) {
    super(`several task files: ${files.join(', ')}`);
    this.repo = repo;
    this.config = config;
    this.files = files;
  }
}

async function findProject(call: Call): Promise<Project> {
  const repo = findRepository(call.cwd);
  const config = await checkConfigHere(call, repo);
  if (config.problems.length === 0) {
    const { shards } = config.settings;
    if (call.takesTasks === true && shards.length > 1) throw new SeveralTaskFiles(repo, config, shards);
    return { repo, config };
  }
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
  const today = realClock.today();
  // Nobody works, so nobody has written down that it is another day.
  const another: readonly Event[] =
    state.day === null || state.day.name === today ? [] : [{ type: 'day-began', day: today }];
  const hosts = hostsToWatch(state, null).flatMap(({ id, mark }): readonly Event[] => {
    if (!isAlive(mark)) return [{ type: 'host-lost', host: id }];
    // Who is alone has nobody else to write that down.
    return isStopped(mark) ? [{ type: 'host-stopped', host: id }] : [];
  });
  const events = [...another, ...hosts];
  if (events.length === 0) return state;
  return fold(state, { seq: state.seq, at: Date.now(), by: 'reader', events });
}

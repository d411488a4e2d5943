import { AppError, EXIT } from '../../../core/errors.ts';
import type { ExitCode } from '../../../core/errors.ts';
import type { Event } from '../../../core/events.ts';
import type { HostPolicy, State } from '../../../core/model.ts';
import { summarize } from '../../../core/summary.ts';
import { chooseAgents, chooseResolver } from '../../../world/choose-agent.ts';
import { readIdentity } from '../../../world/git/identity.ts';
import { agentEnvironment } from '../../../world/processes/environment.ts';
import { preflight } from '../../../world/git/preflight.ts';
import { checkPromptFiles } from '../../../world/prompt-files.ts';
import { openWorld } from '../../../world/real-world.ts';
import { findTracker } from '../../../world/find-tracker.ts';
import { openTracker } from '../../../world/tracker-file.ts';
import { dryRun } from '../dry-run.ts';
import { driveHost } from '../drive-host.ts';
import type { Driven } from '../drive-host.ts';
import type { Call, Handler } from '../handler.ts';
import { readTracker, withTasks } from '../open-tasks.ts';
import type { ReadTracker } from '../open-tasks.ts';
import { budgetWarnings, refuseUnsupported, runPolicy } from '../policy.ts';
import { readState } from '../project.ts';
import { showSummary } from '../show-summary.ts';
import { startProject, takeUpLost } from '../start-project.ts';

/** From task file to main: everything that could go wrong is asked about before anything is started. */
export const handle: Handler = async (call) => {
  refuseNesting(call);
  const project = await startProject(call);
  const { repo, config } = project;
  const { settings } = config;
  refuseUnsupported(settings);
  const tracker = openTracker(repo.root, findTracker(repo.root, settings.tasks));
  const tasks = readTracker(tracker);
  const [{ target }, identity] = await Promise.all([preflight(repo, settings.landing.target), readIdentity(repo)]);
  const agents = chooseAgents(settings, call.env, repo.root);
  for (const agent of agents) agentEnvironment(call.env, { set: agent.settings.env, pass: agent.settings.passEnv });
  const prompts = checkPromptFiles(repo.root);
  const resolver = chooseResolver(settings, call.env, repo.root);
  const policy = runPolicy({ settings, tracker: tasks.path, target, agents, resolver, env: call.env });
  if (call.flags['dryRun'] === true) return dryRun(call, withTasks(await readState(repo), tasks), policy);
  warn(
    call,
    settings.parallel.conflictResolution.strategy === 'ai_resolve' && resolver === null,
    `agent ${settings.parallel.conflictResolution.aiAgent} is not installed: conflicts are resolved by the agent that made the work. Choose another: ralph config set parallel.conflict_resolution.ai_agent NAME`,
  );
  warn(
    call,
    !policy.hasGates,
    'no gates are configured: whatever merges counts as green. Add some: ralph config set gates.commands \'["npm test"]\'',
  );
  for (const text of [...prompts.warnings, ...budgetWarnings(settings, agents)]) warn(call, true, text);
  const everyone = resolver === null ? agents : [...agents.filter(({ name }) => name !== resolver.name), resolver];
  await takeUpLost(project, { identity, target, tracker: tasks.path });
  const world = await openWorld({ repo, identity, settings, agents: everyone, target, tracker, env: call.env });
  const driven = await driveHost(call, {
    world,
    policy,
    settings,
    opening: (state) => newTasks(state, tasks),
  });
  return finish(call, driven, policy);
};

function newTasks(state: State, { path, digest, tasks }: ReadTracker): readonly Event[] {
  return state.trackers[path]?.digest === digest ? [] : [{ type: 'tasks-read', tracker: path, digest, tasks }];
}

function refuseNesting(call: Call): void {
  const loop = call.env['RALPH_LOOP_ID'];
  if (loop !== undefined)
    throw new AppError('E_NESTED', `loop ${loop} tried to start a run of its own`, {
      remedy: 'env -u RALPH_LOOP_ID ralph run --parallel',
    });
}

function warn(call: Call, holds: boolean, text: string): void {
  if (holds) call.out.say(call.out.style.yellow(`warning: ${text}`));
}

export function finish(call: Call, { state, signal }: Driven, policy: HostPolicy): ExitCode {
  const summary = summarize(state, policy);
  const exit = signal === null ? summary.exit : signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (call.flags['json'] === true && call.flags['events'] !== true) call.out.json({ version: 1, ...summary, exit });
  showSummary(call.out, summary, policy.target);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ralph ${call.words.join(' ')}`);
  return exit;
}

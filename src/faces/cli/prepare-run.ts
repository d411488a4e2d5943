import type { HostPolicy } from '../../core/model.ts';
import type { Settings } from '../../core/settings.ts';
import { chooseAgents, chooseResolver } from '../../world/choose-agent.ts';
import type { ChosenAgent } from '../../world/choose-agent.ts';
import { readIdentity } from '../../world/git/identity.ts';
import type { Identity } from '../../world/git/identity.ts';
import { preflight } from '../../world/git/preflight.ts';
import { agentEnvironment } from '../../world/processes/environment.ts';
import { checkPromptFiles } from '../../world/prompt-files.ts';
import type { Call } from './handler.ts';
import { budgetWarnings, gateWarnings, refuseUnsupported, runPolicy } from './policy.ts';
import type { Project } from './project.ts';

export interface Prepared {
  readonly policy: HostPolicy;
  readonly identity: Identity;
  readonly target: string;
  /** Everyone who may work, the one for conflicts among them. */
  readonly agents: readonly ChosenAgent[];
  /** What the user should know before anything starts. */
  readonly warnings: readonly string[];
}

/** Everything that could go wrong with the repository, the agents and the settings is asked about before anything is started. */
export async function prepareRun(
  call: Call,
  { repo }: Project,
  { settings, tracker, agents }: { settings: Settings; tracker: string; agents?: readonly ChosenAgent[] },
): Promise<Prepared> {
  refuseUnsupported(settings);
  const [{ target }, identity] = await Promise.all([preflight(repo, settings.landing.target), readIdentity(repo)]);
  const chosen = agents ?? chooseAgents(settings, call.env, repo.root);
  for (const agent of chosen) agentEnvironment(call.env, { set: agent.settings.env, pass: agent.settings.passEnv });
  const prompts = checkPromptFiles(repo.root);
  const resolver = agents === undefined ? chooseResolver(settings, call.env, repo.root) : null;
  const usual = runPolicy({ settings, tracker, target, agents: chosen, resolver, env: call.env });
  const policy: HostPolicy =
    call.flags['anyway'] === true && usual.base === 'hold' ? { ...usual, base: 'tell' } : usual;
  const { strategy, aiAgent } = settings.parallel.conflictResolution;
  const warnings = [
    ...(strategy === 'ai_resolve' && resolver === null
      ? [
          `agent ${aiAgent} is not installed: conflicts are resolved by the agent that made the work. Choose another: ralph config set parallel.conflict_resolution.ai_agent NAME`,
        ]
      : []),
    ...(policy.hasGates
      ? []
      : [
          'no gates are configured: whatever merges counts as green. Add some: ralph config set gates.commands \'["npm test"]\'',
        ]),
    ...gateWarnings(settings, call.env),
    ...prompts.warnings,
    ...budgetWarnings(settings, chosen),
  ];
  const others = chosen.filter(({ name }) => name !== resolver?.name);
  return { policy, identity, target, warnings, agents: resolver === null ? chosen : [...others, resolver] };
}

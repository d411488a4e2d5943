import type { HostPolicy } from '../../../core/model/model.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { chooseAgents, chooseResolver } from '../../../world/agents/choose-agent.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import { findCommitHooks, hooksAsGate } from '../../../world/git/run/commit-hooks.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import type { Identity } from '../../../world/git/run/identity.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { agentEnvironment } from '../../../world/processes/environment.ts';
import { checkPromptFiles } from '../../../world/prompts/prompt-files.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import type { Call } from '../../call/handler.ts';
import { budgetWarnings, gateWarnings, refuseUnsupported, runPolicy } from './policy.ts';
import type { Project } from '../../call/project.ts';

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
  { settings, tracker }: { settings: Settings; tracker: string },
): Promise<Prepared> {
  refuseUnsupported(settings);
  const { target: wanted, sign } = settings.landing;
  const [{ target }, identity, hooks] = await Promise.all([
    preflight(repo, wanted),
    readCommitter(repo, sign),
    findCommitHooks(repo),
  ]);
  const chosen = chooseAgents(settings, call.env, repo.root);
  for (const agent of chosen) agentEnvironment(call.env, { set: agent.settings.env, pass: agent.settings.passEnv });
  const prompts = checkPromptFiles(repo.root);
  const resolver = chooseResolver(settings, call.env, repo.root);
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
    ...hookWarnings(repo, hooks),
    ...prompts.warnings,
    ...budgetWarnings(settings, chosen),
  ];
  const others = chosen.filter(({ name }) => name !== resolver?.name);
  return { policy, identity, target, warnings, agents: resolver === null ? chosen : [...others, resolver] };
}

const hookWarnings = (repo: Repository, hooks: readonly string[]): readonly string[] =>
  hooks.length === 0
    ? []
    : [
        `commits that ralph makes run no hooks of this repository (${hooks.join(', ')}). What they check holds for all that lands if it is a gate: gates.commands = [${JSON.stringify(hooksAsGate(repo))}, …]`,
      ];

import { basename } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { nameOf } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { readRefFile } from '../../../world/git/refs/ref-files.ts';
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
  { settings, tracker, isTestFirst = false }: { settings: Settings; tracker: string; isTestFirst?: boolean },
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
  const prompts = checkPromptFiles(repo.root, isTestFirst);
  const resolver = chooseResolver(settings, call.env, repo.root);
  const usual = runPolicy({ settings, tracker, target, agents: chosen, resolver, env: call.env });
  const branch = branchFor(repo, settings.parallel.branch);
  const policy: HostPolicy = {
    ...usual,
    ...(branch === null ? {} : { branch }),
    ...(call.flags['anyway'] === true && usual.base === 'hold' ? ({ base: 'tell' } as const) : {}),
  };
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

/** The template with the name of the repository in it. git keeps branches as files and folders: beside one named like the folder, none can be made. */
function branchFor(repo: Repository, template: string | null): string | null {
  if (template === null) return null;
  const branch = template.replaceAll('<repo>', nameOf(basename(repo.root)));
  const folders = branch
    .slice(0, branch.search(/<(?:task|loop)>/))
    .split('/')
    .slice(0, -1);
  const taken = folders.map((_, at) => folders.slice(0, at + 1).join('/')).find((one) => isBranch(repo, one));
  if (taken === undefined) return branch;
  throw new AppError('E_REPOSITORY_UNSUPPORTED', `The branch ${taken} leaves no room for branches named ${branch}.`, {
    facts: ['parallel.branch is the template of these names'],
    remedy: `git branch -m ${shellWord(taken)} ${shellWord(`${taken}-old`)}`,
  });
}

const isBranch = (repo: Repository, name: string): boolean =>
  (readRefFile(repo.commonDir, `refs/heads/${name}`) ?? null) !== null;

const hookWarnings = (repo: Repository, hooks: readonly string[]): readonly string[] =>
  hooks.length === 0
    ? []
    : [
        `commits that ralph makes run no hooks of this repository (${hooks.join(', ')}). What they check holds for all that lands if it is a gate: gates.commands = [${JSON.stringify(hooksAsGate(repo))}, …]`,
      ];

import { basename } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { nameOf } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { readRefFile } from '../../../world/git/refs/ref-files.ts';
import type { HostPolicy } from '../../../core/model/model.ts';
import type { Task } from '../../../core/model/task.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { chooseAgents, chooseNamed, chooseResolver } from '../../../world/agents/choose-agent.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import { findCommitHooks, hooksAsGate } from '../../../world/git/run/commit-hooks.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import type { Identity } from '../../../world/git/run/identity.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { agentEnvironment } from '../../../world/processes/environment.ts';
import { checkPromptFiles } from '../../../world/prompts/prompt-files.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import type { Call } from '../../call/handler.ts';
import type { FoundForge } from '../../../world/forge/find-forge.ts';
import { forgeFor, withForge } from './forge-for.ts';
import { budgetWarnings, gateWarnings, runPolicy } from './policy.ts';
import type { Project } from '../../call/project.ts';

interface RunOrder {
  readonly settings: Settings;
  readonly tracker: string;
  /** Those that may be worked on, with the agents they ask for. */
  readonly tasks?: readonly Task[];
  readonly isTestFirst?: boolean;
  readonly isAwaiting?: boolean;
}

export interface Prepared {
  readonly policy: HostPolicy;
  readonly identity: Identity;
  readonly target: string;
  /** Everyone who may work, the one for conflicts among them. */
  readonly agents: readonly ChosenAgent[];
  /** Where pull requests are opened; null: nowhere. */
  readonly forge: FoundForge | null;
  /** What the user should know before anything starts. */
  readonly warnings: readonly string[];
}

/** Everything that could go wrong with the repository, the agents and the settings is asked about before anything is started. */
export async function prepareRun(
  call: Call,
  { repo }: Project,
  { settings, tracker, tasks = [], isTestFirst = false, isAwaiting = false }: RunOrder,
): Promise<Prepared> {
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
  const isDry = call.flags['dryRun'] === true;
  const isForPulls = settings.parallel.mergePolicy === 'pr' && !isDry;
  const forge = isForPulls ? await forgeFor(call, { repo, settings, target }) : null;
  const isFollowing = call.flags['follow'] === true;
  const named = namedAgents(call, repo, settings, { chosen, tasks });
  const own: HostPolicy = {
    ...usual,
    ...(named.length === 0 ? {} : { named: named.map(({ name, settings: { account } }) => ({ name, account })) }),
    ...(branch === null ? {} : { branch }),
    ...(call.flags['anyway'] === true && usual.base === 'hold' ? ({ base: 'tell' } as const) : {}),
  };
  const policy =
    forge === null
      ? own
      : withForge(own, settings, {
          found: forge,
          repo,
          isMerger: false,
          isFollowing,
          isAwaiting,
          reviewer: chosen[0]?.name,
        });
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
          'no gates are configured: work lands untested as soon as it merges. Add some: ralph config set gates.commands \'["npm test"]\'',
        ]),
    ...gateWarnings(settings, call.env),
    ...hookWarnings(repo, hooks),
    ...prompts.warnings,
    ...budgetWarnings(settings, chosen),
  ];
  const others = [...chosen, ...named].filter(({ name }) => name !== resolver?.name);
  return { policy, identity, target, forge, warnings, agents: resolver === null ? others : [...others, resolver] };
}

/** The agents that tasks ask for by name, beside those that work on all others. Every slip is told at once. */
function namedAgents(
  { env }: Call,
  { root }: Repository,
  settings: Settings,
  { chosen, tasks }: { readonly chosen: readonly ChosenAgent[]; readonly tasks: readonly Task[] },
): readonly ChosenAgent[] {
  const known = new Set(chosen.map(({ name }) => name));
  const wanting = tasks.filter(({ agent, status }) => agent !== undefined && !known.has(agent) && status !== 'done');
  const found = new Map<string, ChosenAgent>();
  const problems: string[] = [];
  for (const { id, agent = '', line } of wanting)
    try {
      found.set(agent, found.get(agent) ?? chooseNamed(agent, settings, env, root));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push(`line ${line}: task ${id} asks for agent ${agent}: ${error.message}`);
    }
  if (problems.length === 0) return [...found.values()];
  throw new AppError('E_TASKS', 'tasks ask for agents that cannot work; nothing was started', {
    facts: problems,
    remedy: 'ralph agents list',
  });
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
  throw new AppError('E_REPOSITORY_UNSUPPORTED', `the branch ${taken} leaves no room for branches named ${branch}`, {
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

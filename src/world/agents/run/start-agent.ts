import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { launch } from '../../../text/agents/launch/launch.ts';
import { realpathLoose, soundAdminDir } from '../../git/files/worktree-admin.ts';
import { newToken, TOKEN_VARIABLE } from '../../processes/marker.ts';
import { lookAtShim } from '../../processes/shim-folder.ts';
import { startShim } from '../../processes/shim.ts';
import { noteProgram, writeAgentFile } from './agent-file.ts';
import { makePrivateFolder, writePrivately } from '../../os/files.ts';
import { closeTalk, openTalk } from './inbox.ts';
import { identityEnvironment } from '../../git/run/identity.ts';
import { agentEnvironment, DEFAULT_PATH } from '../../processes/environment.ts';
import { traceVariables } from '../../git/trace/trace-place.ts';
import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Protocol } from '../../../text/agents/agent-event.ts';
import type { Repository } from '../../git/run/repository.ts';
import type { AgentOrder, Iteration } from '../../contract/world.ts';
import type { AgentFile } from './agent-file.ts';
import type { AgentPlace, OurProgram } from './agent-place.ts';
import type { Identity } from '../../git/run/identity.ts';

/** Starts an iteration in its run folder, with all that a later host or a reader of its logs must know. */
export async function startAgent(
  place: AgentPlace,
  dir: string,
  iteration: Iteration,
  order: AgentOrder,
): Promise<void> {
  const known = place.agents.get(order.agent);
  if (known === undefined) throw new AppError('E_UNKNOWN_AGENT', `no agent is named ${order.agent}`);
  const named = order.model == null ? known : { ...known, model: order.model };
  // Its files must not change under an iteration that runs: by the token in them its processes are found.
  if (lookAtShim(dir).state !== 'absent')
    throw new AppError('E_BUSY', `the run folder ${dir} was already used for an iteration`);
  makePrivateFolder(dir);
  const cwd = folderFor(iteration);
  const agent = cwd === iteration.cwd ? named : fromTop(named, iteration.cwd);
  const token = newToken();
  const caller = callerVariables(iteration, token);
  const launched = launch(agent, {
    cwd,
    ...(cwd === iteration.cwd ? {} : { top: iteration.cwd }),
    budgetUsd: order.budgetUsd,
    mcp: { command: [place.program.node, place.program.main, 'mcp'], env: caller },
    git: { adminDir: adminDirFor(place.repo, iteration), commonDir: place.repo.commonDir },
    inherited: inheritedEnvironment(place.env, agent),
  });
  writePrivately(join(dir, 'prompt.md'), order.prompt);
  writePrivately(join(dir, 'token'), token);
  if (launched.talk === null) closeTalk(dir);
  else openTalk(dir, launched.talk);
  writeAgentFile(dir, describe(agent, order, launched.protocol));
  noteProgram(dir, agent.command, iteration.cwd);
  const { env: user, identity, program } = place;
  const env = runEnvironment({ user, agent, launch: launched.env, caller, identity, program });
  const argv = launched.talk === null ? launched.argv : [program.node, program.driver, dir];
  await startShim({ dir, argv, cwd, env, token, awakeMs: place.clock.awakeMs() });
}

/** The folder it is to start in; one that git does not have is made. Where something else stands in its place: the top. */
function folderFor({ cwd, folder }: Iteration): string {
  if (folder === undefined) return cwd;
  try {
    mkdirSync(join(cwd, folder), { recursive: true });
    return join(cwd, folder);
  } catch {
    return cwd;
  }
}

/** A program of the repository is named from its top, wherever the agent starts. */
function fromTop(agent: AgentSettings, top: string): AgentSettings {
  const [program = '', ...rest] = agent.command;
  return program.includes('/') ? { ...agent, command: [resolve(top, program), ...rest] } : agent;
}

function describe(agent: AgentSettings, order: AgentOrder, protocol: Protocol): AgentFile {
  const { account, driver, price, maxTurns, stallMs, rateLimit } = agent;
  return { name: order.agent, account, driver, protocol, price, guided: order.guided, maxTurns, stallMs, rateLimit };
}

/** The main checkout has no git folder beside the shared one. */
function adminDirFor(repo: Repository, { cwd, inPlace }: Iteration): string {
  const isMain = inPlace === true && realpathLoose(cwd) === realpathLoose(repo.root);
  return isMain ? repo.commonDir : soundAdminDir(repo, cwd);
}

/** By these our verbs know who calls them, wherever they are called. */
function callerVariables(iteration: Iteration, token: string): Record<string, string> {
  return {
    RALPH_LOOP_ID: iteration.loop,
    RALPH_TASK_ID: iteration.task,
    RALPH_ITERATION: String(iteration.n),
    [TOKEN_VARIABLE]: token,
    RALPH_WORKTREE: iteration.cwd,
    ...(iteration.inPlace === true ? { RALPH_IN_PLACE: '1' } : {}),
  };
}

interface EnvironmentParts {
  readonly user: NodeJS.ProcessEnv;
  readonly agent: AgentSettings;
  /** The agent's own variables and what the way it is started adds. */
  readonly launch: Readonly<Record<string, string>>;
  readonly caller: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly program: OurProgram;
}

/** What an agent has of the user's environment, whatever else it is given. */
const inheritedEnvironment = (user: NodeJS.ProcessEnv, agent: AgentSettings): Record<string, string> =>
  agentEnvironment(user, { pass: agent.passEnv, set: {} });

/** Everything an agent's process is told by its environment: as little of the user's as will do. */
function runEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { user, agent, program } = parts;
  const path = parts.launch['PATH'] ?? user['PATH'] ?? DEFAULT_PATH;
  return agentEnvironment(user, {
    pass: agent.passEnv,
    set: {
      // Some clients hide the user's git configuration; what they commit would have no author.
      ...identityEnvironment(parts.identity),
      ...traceOf(parts.caller),
      ...parts.launch,
      ...parts.caller,
      RALPH_NODE: program.node,
      PATH: `${program.bin}:${path}`,
    },
  });
}

/** What the seal later judges by. */
const traceOf = (caller: EnvironmentParts['caller']): Record<string, string> =>
  traceVariables({
    cwd: caller['RALPH_WORKTREE'] ?? '',
    loop: caller['RALPH_LOOP_ID'] ?? '',
    n: caller['RALPH_ITERATION'] ?? '',
    inPlace: caller['RALPH_IN_PLACE'] === '1',
  });

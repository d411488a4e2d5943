import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Protocol } from '../../../text/agents/agent-event.ts';
import { launch } from '../../../text/agents/launch/launch.ts';
import type { Repository } from '../../git/run/repository.ts';
import { realpathLoose, soundAdminDir } from '../../git/files/worktree-admin.ts';
import { newToken } from '../../processes/marker.ts';
import { lookAtShim } from '../../processes/shim-folder.ts';
import { startShim } from '../../processes/shim.ts';
import { noteProgram } from './program-note.ts';
import type { AgentOrder, Iteration } from '../../contract/world.ts';
import { writeAgentFile } from './agent-file.ts';
import { makePrivateFolder, writePrivately } from '../../os/files.ts';
import type { AgentFile } from './agent-file.ts';
import type { AgentPlace } from './agent-place.ts';
import { closeTalk, openTalk } from './inbox.ts';
import { callerVariables, inheritedEnvironment, runEnvironment } from './run-environment.ts';

/** Starts an iteration in its run folder, with all that a later host or a reader of its logs must know. */
export async function startAgent(
  place: AgentPlace,
  dir: string,
  iteration: Iteration,
  order: AgentOrder,
): Promise<void> {
  const named = place.agents.get(order.agent);
  if (named === undefined) throw new AppError('E_UNKNOWN_AGENT', `No agent is named ${order.agent}.`);
  // Its files must not change under an iteration that runs: by the token in them its processes are found.
  if (lookAtShim(dir).state !== 'absent')
    throw new AppError('E_BUSY', `The run folder ${dir} was already used for an iteration.`);
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

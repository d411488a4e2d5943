import type { AgentSettings } from '../../../core/model/settings.ts';
import { identityEnvironment } from '../../git/run/identity.ts';
import type { Identity } from '../../git/run/identity.ts';
import { agentEnvironment, DEFAULT_PATH } from '../../processes/environment.ts';
import { TOKEN_VARIABLE } from '../../processes/marker.ts';
import { traceVariables } from '../../git/trace/trace-place.ts';
import type { Iteration } from '../../contract/world.ts';
import type { OurProgram } from './our-program.ts';

/** By these our verbs know who calls them, wherever they are called. */
export function callerVariables(iteration: Iteration, token: string): Record<string, string> {
  return {
    RALPH_LOOP_ID: iteration.loop,
    RALPH_TASK_ID: iteration.task,
    RALPH_ITERATION: String(iteration.n),
    [TOKEN_VARIABLE]: token,
    RALPH_WORKTREE: iteration.cwd,
    ...(iteration.inPlace === true ? { RALPH_IN_PLACE: '1' } : {}),
  };
}

export interface EnvironmentParts {
  readonly user: NodeJS.ProcessEnv;
  readonly agent: AgentSettings;
  /** The agent's own variables and what the way it is started adds. */
  readonly launch: Readonly<Record<string, string>>;
  readonly caller: Readonly<Record<string, string>>;
  readonly identity: Identity;
  readonly program: OurProgram;
}

/** What an agent has of the user's environment, whatever else it is given. */
export const inheritedEnvironment = (user: NodeJS.ProcessEnv, agent: AgentSettings): Record<string, string> =>
  agentEnvironment(user, { pass: agent.passEnv, set: {} });

/** Everything an agent's process is told by its environment: as little of the user's as will do. */
export function runEnvironment(parts: EnvironmentParts): Record<string, string> {
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

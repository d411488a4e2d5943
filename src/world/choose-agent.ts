import { AppError } from '../core/errors.ts';
import { shellWord } from '../core/remedy.ts';
import type { AgentSettings, Settings } from '../core/settings.ts';
import { KNOWN_AGENTS } from '../text/agents/known.ts';
import { nearest } from '../text/config/nearest.ts';
import { findExecutable } from './processes/environment.ts';

export interface ChosenAgent {
  readonly name: string;
  readonly settings: AgentSettings;
}

/** The agent to run: the one named, else the only one configured, else the first installed one. Never a silent default for a wrong name. */
export function chooseAgent(settings: Settings, env: NodeJS.ProcessEnv, root: string): ChosenAgent {
  const name = settings.agent ?? onlyConfigured(settings) ?? firstInstalled(env, root);
  if (name === null) {
    throw new AppError('E_NO_AGENT', 'no agent is configured and none is installed', {
      facts: [
        `looked for ${[...KNOWN_AGENTS.keys()].join(', ')}`,
        'any command that reads a prompt on standard input will do: [agents.NAME] command = ["..."]',
      ],
      remedy: 'ralph init',
    });
  }
  const agent = agentCalled(name, settings);
  if (agent === null) throw unknownAgent(name, settings);
  const [command = ''] = agent.command;
  if (findExecutable(command, env, root) === null) {
    throw new AppError(
      'E_AGENT_MISSING',
      `agent ${name}: ${command} cannot be started: not found on PATH or not executable`,
      { remedy: `command -v ${shellWord(command)}; ralph doctor` },
    );
  }
  return { name, settings: agent };
}

/** A table without a command adds to the agent known by that name. */
function agentCalled(name: string, settings: Settings): AgentSettings | null {
  const own = settings.agents[name];
  const known = KNOWN_AGENTS.get(name);
  if (own === undefined || own.command.length > 0) return own ?? known ?? null;
  return known === undefined
    ? null
    : { command: known.command, env: own.env, passEnv: [...known.passEnv, ...own.passEnv] };
}

function onlyConfigured(settings: Settings): string | null {
  const names = Object.keys(settings.agents);
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** Known agents found on PATH, in order of choice. */
export function installedAgents(env: NodeJS.ProcessEnv, root: string): readonly string[] {
  return [...KNOWN_AGENTS].flatMap(([name, agent]) =>
    findExecutable(agent.command[0] ?? '', env, root) === null ? [] : [name],
  );
}

const firstInstalled = (env: NodeJS.ProcessEnv, root: string): string | null => installedAgents(env, root)[0] ?? null;

function unknownAgent(name: string, settings: Settings): AppError {
  const known = [...Object.keys(settings.agents), ...KNOWN_AGENTS.keys()];
  const close = nearest(name, known);
  return new AppError(
    'E_UNKNOWN_AGENT',
    `agent ${name} is not known${close === null ? '' : `; did you mean ${close}?`}`,
    {
      facts: [`known: ${known.join(', ')}`, `or define it: [agents.${name}] command = ["..."]`],
      remedy: `ralph config set agent ${close ?? known[0] ?? 'claude'}`,
    },
  );
}

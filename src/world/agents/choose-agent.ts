import { basename } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { AgentSettings, Settings } from '../../core/model/settings.ts';
import { completeAgent, KNOWN_AGENTS } from '../../text/agents/known.ts';
import { nearest } from '../../text/config/nearest.ts';
import { agentEnvironment, findExecutable } from '../processes/environment.ts';

export interface ChosenAgent {
  readonly name: string;
  readonly settings: AgentSettings;
}

/** What names a command of one's own, the only one there is and so the one that runs. */
export const SET_AGENT = `ralph config set agents.mine.command '["your-agent"]'`;

/** Where an agent can be named. */
type AgentKey = 'agent' | 'fallback' | 'parallel.conflict_resolution.ai_agent';

/** The agent to run and those that take over for it, each known and installed. */
export function chooseAgents(settings: Settings, env: NodeJS.ProcessEnv, root: string): readonly ChosenAgent[] {
  const first = firstAgent(settings, env, root);
  const names = [first, ...settings.fallback.filter((name) => name !== first)];
  return names.map((name) => {
    const key = name === first ? 'agent' : 'fallback';
    return { name, settings: startable(name, agentCalled(name, settings, key), env, root) };
  });
}

/** The agent a task asks for. */
export const chooseNamed = (name: string, settings: Settings, env: NodeJS.ProcessEnv, root: string): ChosenAgent => ({
  name,
  settings: startable(name, agentCalled(name, settings), env, root),
});

/** Who resolves conflicts under `ai_resolve`; null: not installed, so whoever made the work does. One the user set up themselves must be there. */
export function chooseResolver(settings: Settings, env: NodeJS.ProcessEnv, root: string): ChosenAgent | null {
  const { strategy, aiAgent: name } = settings.parallel.conflictResolution;
  if (strategy !== 'ai_resolve') return null;
  const agent = agentCalled(name, settings, 'parallel.conflict_resolution.ai_agent');
  const isMissing = findExecutable(agent.command[0] ?? '', env, root) === null;
  if (isMissing && !Object.hasOwn(settings.agents, name)) return null;
  return { name, settings: startable(name, agent, env, root) };
}

/** The one named, else the only one configured, else the first installed one. Never a silent default for a wrong name. */
export function firstAgent(settings: Settings, env: NodeJS.ProcessEnv, root: string): string {
  const name = settings.agent ?? onlyConfigured(settings) ?? installedAgents(env, root)[0];
  if (name !== undefined) return name;
  throw new AppError('E_NO_AGENT', 'no agent is configured and none is installed', {
    facts: [
      `looked for ${[...KNOWN_AGENTS.keys()].join(', ')}: install one of them, and it is found`,
      'any command that reads a prompt on standard input will do as well',
    ],
    remedy: SET_AGENT,
  });
}

/** The settings of an agent by its name. */
export function agentCalled(name: string, settings: Settings, key: AgentKey = 'agent'): AgentSettings {
  const agent = completeAgent(name, settings.agents[name]);
  if (agent === null) throw unknownAgent(name, settings, key);
  return agent;
}

/** Every name that could be run, known ones in the order of choice, then those of the configuration. */
export function agentNames(settings: Settings): readonly string[] {
  return [...new Set([...KNOWN_AGENTS.keys(), ...Object.keys(settings.agents)])];
}

/** The agent a person talks to: it is asked before it does anything, so what loops may not start it may. */
export function chooseToTalkTo(settings: Settings, env: NodeJS.ProcessEnv, root: string): ChosenAgent {
  const name = firstAgent(settings, env, root);
  return { name, settings: installed(name, agentCalled(name, settings), env, root) };
}

function startable(name: string, agent: AgentSettings, env: NodeJS.ProcessEnv, root: string): AgentSettings {
  return allowed(name, installed(name, agent, env, root), env);
}

function installed(name: string, agent: AgentSettings, env: NodeJS.ProcessEnv, root: string): AgentSettings {
  const [command = ''] = agent.command;
  if (findExecutable(command, env, root) !== null) return agent;
  throw new AppError(
    'E_AGENT_MISSING',
    `agent ${name}: ${command} cannot be started: not found on PATH or not executable`,
    { remedy: `command -v ${shellWord(command)}; ralph agents check ${shellWord(name)}` },
  );
}

/** Said before the first turn: each one would fail for the same reason. */
function allowed(name: string, agent: AgentSettings, env: NodeJS.ProcessEnv): AgentSettings {
  if (!isClaudeItself(agent)) return agent;
  const refusal = rootRefusal(name, agent, agentEnvironment(env, { set: agent.env, pass: agent.passEnv }));
  if (refusal === null) return agent;
  throw new AppError('E_AGENT_MISSING', `agent ${name}: ${refusal.message}`, { remedy: refusal.remedy });
}

function onlyConfigured(settings: Settings): string | undefined {
  const names = Object.keys(settings.agents);
  return names.length === 1 ? names[0] : undefined;
}

/** Known agents found on PATH, in order of choice. */
export function installedAgents(env: NodeJS.ProcessEnv, root: string): readonly string[] {
  return [...KNOWN_AGENTS].flatMap(([name, agent]) =>
    findExecutable(agent.command[0] ?? '', env, root) === null ? [] : [name],
  );
}

function unknownAgent(name: string, settings: Settings, key: AgentKey): AppError {
  const known = [...Object.keys(settings.agents), ...KNOWN_AGENTS.keys()];
  const close = nearest(name, known);
  return new AppError(
    'E_UNKNOWN_AGENT',
    `agent ${name} is not known${close === null ? '' : `; did you mean ${close}?`}`,
    {
      facts: [`known: ${known.join(', ')}`, `or define it: [agents.${name}] command = ["..."]`],
      remedy: `ralph config set ${key} ${close ?? known[0] ?? 'claude'}`,
    },
  );
}

/** Why the agent would refuse every turn, and what to do about it. */
interface RootRefusal {
  readonly message: string;
  readonly remedy: string;
}

/** Claude refuses to work without asking when started by root, unless it is told that this is a sandbox. */
export function rootRefusal(
  name: string,
  settings: AgentSettings,
  env: Readonly<Record<string, string>>,
  uid = process.getuid?.(),
): RootRefusal | null {
  const isClaude = settings.driver === 'claude' || settings.driver === 'claude-stdio';
  if (!isClaude || uid !== 0 || env['IS_SANDBOX'] === '1') return null;
  return {
    message: 'it does not work as root unless IS_SANDBOX=1 says that this is a sandbox',
    remedy: `ralph config set agents.${shellWord(name)}.env.IS_SANDBOX 1`,
  };
}

/** Whether it is the client itself that is started, not something that only speaks like it. */
const isClaudeItself = ({ command }: AgentSettings): boolean => basename(command[0] ?? '') === 'claude';

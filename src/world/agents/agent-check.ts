import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { accountOf } from '../../core/loops/accounts.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { KNOWN_AGENTS } from '../../text/agents/known.ts';
import { agentCalled, agentNames, firstAgent, rootRefusal } from './choose-agent.ts';
import { agentEnvironment, lookUpExecutable } from '../processes/environment.ts';
import { localTime } from '../os/clock.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import type { Hold, State } from '../../core/model/model.ts';
import type { AgentSettings, Driver, Settings } from '../../core/model/settings.ts';
import type { Finding } from '../contract/finding.ts';

export interface AgentSight {
  readonly name: string;
  readonly settings: AgentSettings;
  /** Where its program is; null: it cannot be run. */
  readonly path: string | null;
  /** The program is there and may not be run. */
  readonly isDenied: boolean;
  readonly version: string | null;
  /** `ralph run` would take it. */
  readonly isChosen: boolean;
  readonly hold: Hold | null;
}

export interface AgentLook {
  readonly settings: Settings;
  readonly state: State;
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
}

/** Every agent there could be, in the order in which one is chosen; each installed one is asked for its version. */
export async function lookAtAgents(look: AgentLook): Promise<readonly AgentSight[]> {
  const chosen = chosenName(look);
  const first = chosen === null ? [] : [chosen, ...look.settings.fallback];
  const names = [...new Set([...first, ...agentNames(look.settings)])].filter((name) =>
    isComplete(name, look.settings),
  );
  return await Promise.all(names.map((name) => lookAtAgent(look, name, name === chosen)));
}

/** One agent; an unknown name throws what might have been meant. */
export async function lookAtAgent(look: AgentLook, name: string, isChosen = false): Promise<AgentSight> {
  const settings = agentCalled(name, look.settings);
  const { path, denied } = lookUpExecutable(settings.command[0] ?? '', look.env, look.root);
  const version =
    path === null || environmentProblem(settings, look.env) !== null ? null : askVersion(settings, path, look.env);
  const hold = accountOf(look.state, settings.account)?.hold ?? null;
  return { name, settings, path, isDenied: denied && path === null, version: await version, isChosen, hold };
}

export function chosenName({ settings, env, root }: AgentLook): string | null {
  try {
    return firstAgent(settings, env, root);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Everything about one agent that can be known without letting it work. */
export function checkAgent(look: AgentLook, sight: AgentSight): readonly Finding[] {
  return [program(sight), ...(sight.path === null ? [] : usable(look, sight))];
}

function program({ name, settings, path, isDenied }: AgentSight): Finding {
  const [command = ''] = settings.command;
  if (path !== null) return fine('program', path);
  const message = isDenied ? `${command} may not be executed` : `${command} is not on PATH`;
  const remedy = isDenied ? `chmod +x "$(command -v ${shellWord(command)})"` : `command -v ${shellWord(command)}`;
  return { check: 'program', level: 'fail', message: `${message}; agent ${name} cannot be used`, remedy };
}

function usable(look: AgentLook, sight: AgentSight): readonly Finding[] {
  const { settings } = sight;
  const problem = environmentProblem(settings, look.env);
  const env = problem === null ? agentEnvironment(look.env, { set: settings.env, pass: settings.passEnv }) : {};
  return [
    ...(problem === null
      ? []
      : [{ check: 'environment', level: 'fail', message: problem, remedy: 'ralph config check' } as const]),
    version(sight),
    driver(sight),
    ...rootRefused(sight, env),
    ...(needsLogin(settings, env) ? [notLoggedIn(sight)] : []),
    ...(sight.hold === null ? [] : [held(sight, sight.hold)]),
    ...(NO_MCP.has(settings.driver) ? [noMcp(settings.driver)] : []),
    ...(costUnknown(look.settings, settings) ? [noCost(sight)] : []),
  ];
}

/** Drivers whose clients take no MCP server from us; their agents call the same verbs in a shell. */
const NO_MCP: ReadonlySet<Driver> = new Set<Driver>(['text', 'jsonl', 'pi']);
/** Drivers whose clients tell what they spent. */
const TELLS_COST: ReadonlySet<Driver> = new Set<Driver>(['claude', 'claude-stdio', 'pi', 'jsonl']);
/** What `--version` of the client a driver was made for says. */
const SAYS: Partial<Record<Driver, RegExp>> = {
  claude: /claude/i,
  'claude-stdio': /claude/i,
  codex: /codex/i,
  'codex-app-server': /codex/i,
};

const fine = (check: string, message: string): Finding => ({ check, level: 'ok', message, remedy: null });
const isCodex = ({ driver: kind }: AgentSettings): boolean => kind === 'codex' || kind === 'codex-app-server';

function version({ settings, path, version: said }: AgentSight): Finding {
  if (said !== null) return fine('version', said);
  if (settings.driver === 'text' || settings.driver === 'jsonl')
    return fine('version', 'any program will do; not asked');
  const remedy = `${shellWord(path ?? '')} --version`;
  return { check: 'version', level: 'warn', message: 'it answers nothing to --version', remedy };
}

function driver({ name, settings, version: said }: AgentSight): Finding {
  const expected = SAYS[settings.driver];
  if (said === null || expected === undefined || expected.test(said)) return fine('driver', settings.driver);
  const message = `driver ${settings.driver} is made for another client: this one says ${said}`;
  return { check: 'driver', level: 'warn', message, remedy: `ralph config set agents.${name}.driver text` };
}

function rootRefused({ name, settings }: AgentSight, env: Readonly<Record<string, string>>): readonly Finding[] {
  const refusal = rootRefusal(name, settings, env);
  return refusal === null ? [] : [{ check: 'root', level: 'fail', ...refusal }];
}

/** Only whether there is a login is asked, never what is in it. */
function needsLogin(settings: AgentSettings, env: Readonly<Record<string, string>>): boolean {
  if (!isCodex(settings)) return false;
  const home = env['CODEX_HOME'] ?? join(env['HOME'] ?? homedir(), '.codex');
  return !['auth.json', 'config.toml'].some((file) => existsSync(join(home, file))) && !hasKey(env);
}

const hasKey = (env: Readonly<Record<string, string>>): boolean =>
  ['OPENAI_API_KEY', 'CODEX_API_KEY', 'AZURE_OPENAI_API_KEY'].some((name) => (env[name] ?? '') !== '');

const notLoggedIn = ({ name }: AgentSight): Finding => ({
  check: 'login',
  level: 'warn',
  message: 'no login and no key was found',
  remedy: KNOWN_AGENTS.get(name)?.login ?? KNOWN_AGENTS.get('codex')?.login ?? null,
});

function held({ name, settings }: AgentSight, hold: Hold): Finding {
  const until = hold.untilMs === null ? 'until a person does something' : `until ${localTime(hold.untilMs)}`;
  const remedy = hold.kind === 'auth' ? (KNOWN_AGENTS.get(name)?.login ?? null) : null;
  return {
    check: 'account',
    level: 'warn',
    message: `account ${settings.account} is held ${until}: ${hold.detail}`,
    remedy,
  };
}

const noMcp = (kind: Driver): Finding =>
  fine('mcp', `driver ${kind} takes no MCP server; the agent calls the verbs in a shell: ralph progress, done, …`);

const costUnknown = (settings: Settings, agent: AgentSettings): boolean =>
  (settings.limits.maxCostUsd !== null || settings.run.maxCostUsd !== null) &&
  agent.price === null &&
  !TELLS_COST.has(agent.driver);

const noCost = ({ name, settings }: AgentSight): Finding => ({
  check: 'cost',
  level: 'warn',
  message: `a budget in dollars is set, but driver ${settings.driver} tells no cost and the agent has no price: it never ends`,
  remedy: `ralph config set agents.${name}.price.output 15`,
});

function environmentProblem(settings: AgentSettings, env: NodeJS.ProcessEnv): string | null {
  try {
    agentEnvironment(env, { set: settings.env, pass: settings.passEnv });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function isComplete(name: string, settings: Settings): boolean {
  try {
    agentCalled(name, settings);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const TIMEOUT_MS = 10_000;
const OUTPUT_BYTES_MAX = 64 * 1024;
const VERSION_CHARS_MAX = 80;

/**
 * What the client says to `--version`; null: nothing of use. A text agent is not asked: it is any program, and might take
 * the word for work.
 */
async function askVersion(agent: AgentSettings, path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (agent.driver === 'text' || agent.driver === 'jsonl') return null;
  const options = {
    cwd: tmpdir(),
    env: agentEnvironment(env, { set: agent.env, pass: agent.passEnv }),
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
    encoding: 'utf8',
  } as const;
  const said = await new Promise<string>((resolve) => {
    const child = execFile(path, ['--version'], options, (error, stdout) => resolve(error === null ? stdout : ''));
    child.stdin?.end();
  });
  const line = said
    .split('\n')
    .map(cleanLine)
    .find((one) => /\d/.test(one));
  return line === undefined ? null : line.slice(0, VERSION_CHARS_MAX);
}

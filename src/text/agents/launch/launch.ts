import { parse } from 'jsonc-parser';
import type { AgentSettings } from '../../../core/model/settings.ts';
import { MCP_NAME } from '../talk/talk-spec.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import type { McpServer } from '../talk/talk-spec.ts';

export type { Launch, LaunchFacts } from './launch-types.ts';

/** How this agent is started. The command comes first, then what its driver adds, then the user's own arguments. */
export function launch(agent: AgentSettings, facts: LaunchFacts): Launch {
  switch (agent.driver) {
    case 'text':
    case 'jsonl':
      return asItIs(agent, agent.driver);
    case 'claude':
      return launchClaude(agent, facts);
    case 'claude-stdio':
      return launchClaudeStdio(agent, facts);
    case 'codex':
      return launchCodex(agent, facts);
    case 'codex-app-server':
      return launchCodexServer(agent, facts);
    case 'acp':
      return launchAcp(agent, facts);
    case 'pi':
      return launchPi(agent);
  }
}

/** It knows no MCP: our verbs reach it as commands. */
const launchPi = (agent: AgentSettings): Launch => ({
  argv: [
    ...agent.command,
    '-p',
    '--mode',
    'json',
    ...(agent.model === null ? [] : ['--model', agent.model]),
    ...agent.args,
  ],
  env: agent.env,
  protocol: 'pi',
  talk: null,
});

const asItIs = (agent: AgentSettings, protocol: 'text' | 'jsonl'): Launch => ({
  argv: [...agent.command, ...agent.args],
  env: agent.env,
  protocol,
  talk: null,
});

/** Programs whose flag for the model we know. Opencode has none in this mode. */
const MODEL_FLAGS: ReadonlyMap<string, string> = new Map([
  ['gemini', '-m'],
  ['qwen', '-m'],
  ['copilot', '--model'],
]);

/** `/opt/bin/gemini` and `gemini.cmd` are gemini. */
const programName = (word: string): string =>
  word
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.(?:js|mjs|cmd|exe)$/, '') ?? '';

function launchAcp(agent: AgentSettings, facts: LaunchFacts): Launch {
  const names = agent.command.map(programName);
  const flag = names.map((name) => MODEL_FLAGS.get(name)).find((found) => found !== undefined);
  const isOpencode = names.includes('opencode');
  const byFlag = agent.model === null || flag === undefined ? [] : [flag, agent.model];
  const byEnv =
    isOpencode && agent.model !== null ? opencodeEnv(agent.model, { ...facts.inherited, ...agent.env }) : {};
  // Copilot refuses a server that is a process when it is named by protocol, and takes it by flag.
  const mcpByFlag = names.includes('copilot') && facts.mcp !== null ? copilotMcp(facts.mcp) : [];
  const argv = [...agent.command, ...byFlag, ...mcpByFlag, ...agent.args];
  const model = byFlag.length > 0 || isOpencode ? null : agent.model;
  const mcp = mcpByFlag.length > 0 ? null : facts.mcp;
  const talk = { kind: 'acp', argv, cwd: facts.cwd, model, mcp } as const;
  return { argv, env: { ...agent.env, ...byEnv }, protocol: 'acp', talk };
}

/** Opencode takes a whole configuration in one variable. */
const OPENCODE_VARIABLE = 'OPENCODE_CONFIG_CONTENT';

/** The variable with our model beside what it holds already; comments are allowed in it. */
function opencodeEnv(model: string, environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const before: unknown = parse(environment[OPENCODE_VARIABLE] ?? '', [], { allowTrailingComma: true });
  const others = typeof before === 'object' && !Array.isArray(before) ? before : {};
  return { [OPENCODE_VARIABLE]: JSON.stringify({ ...others, model }) };
}

/** Tools that leave the worktree or begin something that outlives the iteration. */
const UNWANTED_TOOLS = 'EnterWorktree,ExitWorktree,CronCreate,CronDelete,CronList,ScheduleWakeup';
const SMALLEST_BUDGET_USD = 0.0001;

/** Flags that take a list stand before one that takes a single value: a list would swallow what the user adds. */
function commonFlags(agent: AgentSettings, facts: LaunchFacts): readonly string[] {
  return [
    '--output-format',
    'stream-json',
    '--verbose',
    '--dangerously-skip-permissions',
    ...(agent.model === null ? [] : ['--model', agent.model]),
    // Tools that are not loaded at once are hidden behind a search the model may never make.
    ...(facts.mcp === null ? [] : ['--mcp-config', mcpJson(fromEnvironment(facts.mcp), { alwaysLoad: true })]),
    '--disallowedTools',
    UNWANTED_TOOLS,
    ...(facts.budgetUsd === null ? [] : ['--max-budget-usd', dollars(facts.budgetUsd)]),
    '--max-turns',
    String(agent.maxTurns),
  ];
}

/** Never in exponent form, never zero: both are refused. */
const dollars = (usd: number): string => Math.max(usd, SMALLEST_BUDGET_USD).toFixed(4);

const launchClaude = (agent: AgentSettings, facts: LaunchFacts): Launch => ({
  argv: [...agent.command, '-p', ...commonFlags(agent, facts), ...agent.args],
  env: agent.env,
  protocol: 'claude',
  talk: null,
});

function launchClaudeStdio(agent: AgentSettings, facts: LaunchFacts): Launch {
  const stdio = ['-p', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];
  const argv = [...agent.command, ...stdio, ...commonFlags(agent, facts), ...agent.args];
  const talk = { kind: 'claude-stdio', argv, cwd: facts.cwd } as const;
  return { argv, env: agent.env, protocol: 'claude', talk };
}

/**
 * What git writes when it commits in a linked worktree. The whole common folder would not do: the sandbox keeps any `.git`
 * it is given read-only. So hooks and configuration stay out of the agent's reach.
 */
const writableRoots = ({ git, top }: LaunchFacts): readonly string[] => [
  ...(top === undefined ? [] : [top]),
  git.adminDir,
  `${git.commonDir}/objects`,
  `${git.commonDir}/refs`,
  `${git.commonDir}/logs`,
];

/** Its tools need no leave: nobody is there to give it. Codex hands down only what is named, and a value here could be read by everybody. */
function mcpTable(mcp: McpServer): string {
  const [command = '', ...args] = mcp.command;
  return tomlTable({
    command: tomlString(command),
    args: tomlArray(args),
    env_vars: tomlArray(Object.keys(mcp.env)),
    default_tools_approval_mode: tomlString('approve'),
  });
}

function settings(facts: LaunchFacts): readonly string[] {
  const values = [
    'check_for_update_on_startup=false',
    ...(facts.mcp === null ? [] : [`mcp_servers.${MCP_NAME}=${mcpTable(facts.mcp)}`]),
  ];
  return values.flatMap((value) => ['-c', value]);
}

const NETWORK = ['-c', 'sandbox_workspace_write.network_access=true'];
const NEVER_ASK = ['-c', 'approval_policy="never"'];

function sandboxFlags(agent: AgentSettings, facts: LaunchFacts): readonly string[] {
  if (agent.sandbox === 'none') return ['--dangerously-bypass-approvals-and-sandbox'];
  const roots = writableRoots(facts).flatMap((root) => ['--add-dir', root]);
  return ['-s', 'workspace-write', ...roots, ...NETWORK, ...NEVER_ASK];
}

function launchCodex(agent: AgentSettings, facts: LaunchFacts): Launch {
  const argv = [
    ...agent.command,
    'exec',
    '--json',
    ...(agent.model === null ? [] : ['-m', agent.model]),
    ...sandboxFlags(agent, facts),
    ...settings(facts),
    // The prompt is on standard input. What the user adds comes after it: a flag that takes a list would swallow the dash.
    '-',
    ...agent.args,
  ];
  return { argv, env: agent.env, protocol: 'codex', talk: null };
}

function launchCodexServer(agent: AgentSettings, facts: LaunchFacts): Launch {
  const roots = `sandbox_workspace_write.writable_roots=${tomlArray(writableRoots(facts))}`;
  const sandbox = agent.sandbox === 'none' ? [] : ['-c', roots, ...NETWORK];
  const argv = [...agent.command, 'app-server', ...sandbox, ...settings(facts), ...agent.args];
  const talk = {
    kind: 'codex-app-server',
    argv,
    cwd: facts.cwd,
    model: agent.model,
    sandbox: agent.sandbox,
  } as const;
  return { argv, env: agent.env, protocol: 'codex-app-server', talk };
}

const BARE_KEY = /^[A-Za-z0-9_-]+$/;
const LONE_SURROGATE = /\p{Cs}/gu;

/** A TOML basic string. JSON's escapes are TOML's, but for the delete character and halves of surrogate pairs. */
const tomlString = (value: string): string =>
  JSON.stringify(value.replaceAll(LONE_SURROGATE, '\uFFFD')).replaceAll('\u007F', '\\u007F');

const tomlArray = (values: readonly string[]): string => `[${values.map(tomlString).join(',')}]`;

/** An inline table of values that are TOML already. */
const tomlTable = (entries: Readonly<Record<string, string>>): string =>
  `{${Object.entries(entries)
    .map(([key, value]) => `${BARE_KEY.test(key) ? key : tomlString(key)}=${value}`)
    .join(',')}}`;

/** The values stay in the environment, where the client finds them: a command line is there for everybody to read. */
const fromEnvironment = ({ command, env }: McpServer): McpServer => ({
  command,
  env: Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`])),
});

/** The `mcpServers` document that many clients take, with what one of them wants beside. */
function mcpJson(mcp: McpServer, extra: Readonly<Record<string, unknown>> = {}): string {
  const [command, ...args] = mcp.command;
  return JSON.stringify({ mcpServers: { [MCP_NAME]: { command, args, env: mcp.env, ...extra } } });
}

const copilotMcp = (mcp: McpServer): readonly string[] => [
  '--additional-mcp-config',
  mcpJson(mcp, { type: 'local', tools: ['*'] }),
];

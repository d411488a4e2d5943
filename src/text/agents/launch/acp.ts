import { parse } from 'jsonc-parser';
import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import { copilotMcp } from './mcp-json.ts';

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

export function launchAcp(agent: AgentSettings, facts: LaunchFacts): Launch {
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

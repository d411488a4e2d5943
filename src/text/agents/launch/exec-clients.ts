import type { AgentSettings } from '../../../core/settings.ts';
import type { Protocol } from '../agent-event.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import { copilotMcp, mcpJson } from './mcp-json.ts';
import { opencodeEnv } from './opencode-config.ts';
import { STRUCTURED_ANSWER } from './structured-answer.ts';

/** Clients that take the prompt on standard input and print JSON lines. */

const started = (
  agent: AgentSettings,
  protocol: Protocol,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Launch => ({
  argv: [...agent.command, ...flags, ...agent.args],
  env: { ...agent.env, ...env },
  protocol,
  talk: null,
  schema: null,
});

const model = (agent: AgentSettings, flag: string): readonly string[] =>
  agent.model === null ? [] : [flag, agent.model];

/** It takes MCP servers from its settings files only: our verbs reach it as commands. */
export const launchGemini = (agent: AgentSettings): Launch =>
  started(agent, 'gemini', ['--approval-mode=yolo', '--output-format', 'stream-json', ...model(agent, '-m')]);

export const launchQwen = (agent: AgentSettings, facts: LaunchFacts): Launch =>
  started(agent, 'qwen', [
    '--approval-mode',
    'yolo',
    '--output-format',
    'stream-json',
    ...model(agent, '-m'),
    ...(facts.mcp === null ? [] : ['--mcp-config', mcpJson(facts.mcp)]),
    ...(facts.signal === 'structured' ? ['--json-schema', JSON.stringify(STRUCTURED_ANSWER)] : []),
    '--max-session-turns',
    String(agent.maxTurns),
  ]);

/** Without `--auto` it refuses what it would have asked, and ends as if all were well. */
export const launchOpencode = (agent: AgentSettings, facts: LaunchFacts): Launch =>
  started(
    agent,
    'opencode',
    ['run', '--format', 'json', '--auto', ...model(agent, '-m')],
    opencodeEnv({ model: null, mcp: facts.mcp }, { ...facts.inherited, ...agent.env }),
  );

export const launchCopilot = (agent: AgentSettings, facts: LaunchFacts): Launch =>
  started(agent, 'copilot', [
    '--allow-all-tools',
    '--output-format',
    'json',
    ...model(agent, '--model'),
    ...(facts.mcp === null ? [] : copilotMcp(facts.mcp)),
  ]);

/** It knows no MCP: our verbs reach it as commands. */
export const launchPi = (agent: AgentSettings): Launch =>
  started(agent, 'pi', ['-p', '--mode', 'json', ...model(agent, '--model')]);

import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import { fromEnvironment, mcpJson } from './mcp-json.ts';

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

export const launchClaude = (agent: AgentSettings, facts: LaunchFacts): Launch => ({
  argv: [...agent.command, '-p', ...commonFlags(agent, facts), ...agent.args],
  env: agent.env,
  protocol: 'claude',
  talk: null,
});

export function launchClaudeStdio(agent: AgentSettings, facts: LaunchFacts): Launch {
  const stdio = ['-p', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];
  const argv = [...agent.command, ...stdio, ...commonFlags(agent, facts), ...agent.args];
  const talk = { kind: 'claude-stdio', argv, cwd: facts.cwd } as const;
  return { argv, env: agent.env, protocol: 'claude', talk };
}

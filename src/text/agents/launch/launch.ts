import type { AgentSettings } from '../../../core/model/settings.ts';
import { launchAcp } from './acp.ts';
import { launchClaude, launchClaudeStdio } from './claude.ts';
import { launchCodex, launchCodexServer } from './codex.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';

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

import type { AgentSettings } from '../../../core/settings.ts';
import { launchAcp } from './acp.ts';
import { launchClaude, launchClaudeStdio } from './claude.ts';
import { launchCodex, launchCodexServer } from './codex.ts';
import { launchCopilot, launchGemini, launchOpencode, launchPi, launchQwen } from './exec-clients.ts';
import type { Launch, LaunchFacts } from './launch-types.ts';
import { launchCline, launchContinue } from './prompt-by-argument.ts';

export type { Launch, LaunchFacts } from './launch-types.ts';

/** How this agent is started. The command comes first, then what its driver adds, then the user's own arguments. */
export function launch(agent: AgentSettings, given: LaunchFacts): Launch {
  const facts = agent.mcp ? given : { ...given, mcp: null };
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
    case 'gemini':
      return launchGemini(agent);
    case 'qwen':
      return launchQwen(agent, facts);
    case 'opencode':
      return launchOpencode(agent, facts);
    case 'copilot':
      return launchCopilot(agent, facts);
    case 'pi':
      return launchPi(agent);
    case 'cline':
      return launchCline(agent);
    case 'continue':
      return launchContinue(agent);
  }
}

const asItIs = (agent: AgentSettings, protocol: 'text' | 'jsonl'): Launch => ({
  argv: [...agent.command, ...agent.args],
  env: agent.env,
  protocol,
  talk: null,
  schema: null,
});

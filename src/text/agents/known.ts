import type { AgentSettings } from '../../core/settings.ts';

/** Agents that need no `[agents.NAME]` table, in the order in which an installed one is chosen. The prompt comes on standard input. */
export const KNOWN_AGENTS: ReadonlyMap<string, AgentSettings> = new Map([
  ['claude', agent(['claude', '-p', '--dangerously-skip-permissions'], ['ANTHROPIC_*', 'CLAUDE_*'])],
  ['codex', agent(['codex', 'exec', '--dangerously-bypass-approvals-and-sandbox', '-'], ['OPENAI_*', 'CODEX_*'])],
  ['gemini', agent(['gemini', '--approval-mode=yolo'], ['GEMINI_*', 'GOOGLE_*'])],
  ['opencode', agent(['opencode', 'run'], ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*'])],
]);

function agent(command: readonly string[], passEnv: readonly string[]): AgentSettings {
  return { command, env: {}, passEnv };
}

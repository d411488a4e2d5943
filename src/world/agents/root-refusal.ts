import { basename } from 'node:path';
import { shellWord } from '../../core/model/shell-word.ts';
import type { AgentSettings } from '../../core/model/settings.ts';

/** Why the agent would refuse every turn, and what to do about it. */
export interface RootRefusal {
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
export const isClaudeItself = ({ command }: AgentSettings): boolean => basename(command[0] ?? '') === 'claude';

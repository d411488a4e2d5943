import type { AgentSettings } from '../../../core/settings.ts';
import type { Launch } from './launch-types.ts';

/**
 * For clients that take a prompt as an argument only: reads it from standard input and appends it. The x keeps the shell
 * from dropping line ends. Linux allows an argument 128 KB; a longer prompt ends with "Argument list too long", exit 126.
 */
const APPEND_PROMPT = 'prompt=$(cat; printf x) && exec "$@" "${prompt%x}" </dev/null';

const appended = (argv: readonly string[]): readonly string[] => ['sh', '-c', APPEND_PROMPT, 'sh', ...argv];

export const launchCline = (agent: AgentSettings): Launch => ({
  argv: appended([...agent.command, '--json', ...(agent.model === null ? [] : ['-m', agent.model]), ...agent.args]),
  env: agent.env,
  protocol: 'cline',
  talk: null,
  schema: null,
});

/** Its model is part of its configuration file. */
export const launchContinue = (agent: AgentSettings): Launch => ({
  argv: appended([...agent.command, '--auto', '--format', 'json', ...agent.args, '-p']),
  env: agent.env,
  protocol: 'continue',
  talk: null,
  schema: null,
});

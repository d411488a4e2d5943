import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { CommandSpec } from '../../call/command-spec.ts';
import type { Answer, Call } from '../../call/handler.ts';

declare const __VERSION__: string;

/** Starts anywhere: a tool that needs a loop says so when it is called. */
export async function serveCommands(call: Call, commands: readonly CommandSpec[]): Promise<Answer> {
  const env = { ...call.env, ...claimGiven(call) };
  const { serve } = await import('../../mcp/server.ts');
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  await serve({ commands, cwd: call.cwd, env, version: __VERSION__, signal: stop.signal });
  return { data: null, exit: EXIT.ok };
}

/** Flags are for clients that pass no environment on to their MCP servers. */
function claimGiven({ flags }: Call): Readonly<Record<string, string>> {
  const [loop, iteration, token] = ['loop', 'iteration', 'token'].map((name) => flags[name]);
  if (loop === undefined && iteration === undefined && token === undefined) return {};
  if (typeof loop === 'string' && typeof iteration === 'string' && typeof token === 'string')
    return { RALPH_LOOP_ID: loop, RALPH_ITERATION: iteration, RALPH_TOKEN: token };
  throw new AppError('E_USAGE', '--loop, --iteration and --token belong together: give all three or none', {
    remedy: 'ralph mcp --help',
  });
}

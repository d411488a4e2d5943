import { AppError, EXIT } from '../../../core/model/errors.ts';
import { claimFrom } from '../../verbs/caller.ts';
import type { CallerClaim } from '../../verbs/caller.ts';
import type { Call, Handler } from '../../call/handler.ts';

declare const __VERSION__: string;

/** Starts anywhere: a tool that needs a loop says so when it is called. */
export const handle: Handler = async (call) => {
  const claim = claimGiven(call);
  const { serve } = await import('../../mcp/server.ts');
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  await serve(call, { cwd: call.cwd, env: call.env, claim }, __VERSION__, stop.signal);
  return EXIT.ok;
};

/** Flags are for clients that pass no environment on to their MCP servers. */
function claimGiven(call: Call): CallerClaim | null {
  const [loop, iteration, token] = ['loop', 'iteration', 'token'].map((name) => call.flags[name]);
  if (loop === undefined && iteration === undefined && token === undefined) return claimFrom(call.env);
  if (typeof loop === 'string' && typeof iteration === 'string' && typeof token === 'string')
    return { loop, iteration, token };
  throw new AppError('E_USAGE', '--loop, --iteration and --token belong together: give all three or none', {
    remedy: 'ralph mcp --help',
  });
}

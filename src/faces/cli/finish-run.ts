import type { ExitCode } from '../../core/errors.ts';
import { EXIT } from '../../core/errors.ts';
import type { HostPolicy } from '../../core/model.ts';
import { shellWord } from '../../core/remedy.ts';
import { summarize } from '../../core/summary.ts';
import type { Driven } from './drive-host.ts';
import type { Call } from './handler.ts';
import { showSummary } from './show-summary.ts';

/** Says what came of a run. `resume`: the command that goes on with what was interrupted. */
export function finishRun(
  call: Call,
  { state, signal }: Driven,
  policy: HostPolicy,
  resume = `ralph ${call.words.map(shellWord).join(' ')}`,
): ExitCode {
  const summary = summarize(state, policy);
  const exit = signal === null ? summary.exit : signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (call.flags['json'] === true && call.flags['events'] !== true) call.out.json({ version: 1, ...summary, exit });
  showSummary(call.out, summary, policy.target);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ${resume}`);
  return exit;
}

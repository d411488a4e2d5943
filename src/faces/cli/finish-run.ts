import type { ExitCode } from '../../core/errors.ts';
import { EXIT } from '../../core/errors.ts';
import type { HostPolicy, State } from '../../core/model.ts';
import { shellWord } from '../../core/remedy.ts';
import { summarize } from '../../core/summary.ts';
import type { Driven } from './drive-host.ts';
import type { Call } from './handler.ts';
import { showSummary } from './show-summary.ts';

interface Ending {
  /** The command that goes on with what was interrupted; absent: the same once more. */
  readonly resume?: string;
  /** What it was put aside for is that the budget of this run is spent. */
  readonly isSpent?: boolean;
  /** What was so before; absent: all that there is is told. */
  readonly before?: State;
}

/** Says what came of a run. */
export function finishRun(call: Call, { state, signal }: Driven, policy: HostPolicy, ending: Ending = {}): ExitCode {
  const { resume = `ralph ${call.words.map(shellWord).join(' ')}`, isSpent = false, before = null } = ending;
  const summary = summarize(state, policy, before);
  const own = isSpent && summary.exit === EXIT.parked ? EXIT.limit : summary.exit;
  const exit = signal === null ? own : signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (call.flags['json'] === true && call.flags['events'] !== true) call.out.json({ version: 1, ...summary, exit });
  showSummary(call.out, summary, policy.target);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ${resume}`);
  return exit;
}

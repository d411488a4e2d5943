import type { ExitCode } from '../../../core/model/errors.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { HostPolicy } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { summarize } from '../../../core/views/summary.ts';
import type { Driven } from './drive-host.ts';
import type { Call } from '../../call/handler.ts';
import { showSummary } from '../show/show-summary.ts';

interface Ending {
  /** The command that goes on with what was interrupted; absent: the same once more. */
  readonly resume?: string;
  /** What it was put aside for is that the budget of this run is spent. */
  readonly isSpent?: boolean;
}

/** Says what came of a run. */
export function finishRun(
  call: Call,
  { before, state, signal, over }: Driven,
  policy: HostPolicy,
  ending: Ending = {},
): ExitCode {
  const { resume = `ralph ${call.words.map(shellWord).join(' ')}`, isSpent = false } = ending;
  const summary = summarize(state, policy, before);
  const isLeft = summary.stopped.length + summary.waiting.length + summary.open.length > 0;
  // What its time left to do is no failure.
  const isInTime = over !== null && summary.parked.length === 0;
  const own = summary.exit !== EXIT.parked ? summary.exit : isSpent ? EXIT.limit : isInTime ? EXIT.ok : summary.exit;
  const exit = signal === null ? own : signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (call.flags['json'] === true && call.flags['events'] !== true) call.out.json({ version: 1, ...summary, exit });
  showSummary(call.out, summary, policy.target);
  if (signal === null && over !== null && isLeft)
    call.out.say(`the time of this run is over (${over}); everything is kept. go on: ${resume}`);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ${resume}`);
  return exit;
}

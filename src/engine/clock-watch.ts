import { describeMs } from '../core/model/describe-time.ts';
import type { Clock } from '../world/contract/world.ts';

/** Less may be the ordinary correction of a clock, or a process that did not get its turn. */
const WORTH_TELLING_MS = 30_000;

/** Says once what happened when a person's clock and the time the machine was awake went apart. Call it often. */
export function createClockWatch(clock: Clock, onNotice: (text: string) => void): () => void {
  let aheadMs = clock.nowMs() - clock.awakeMs();
  return () => {
    const nowAheadMs = clock.nowMs() - clock.awakeMs();
    const jumpMs = nowAheadMs - aheadMs;
    if (Math.abs(jumpMs) <= WORTH_TELLING_MS) return;
    aheadMs = nowAheadMs;
    onNotice(
      jumpMs > 0
        ? `the machine slept for ${describeMs(jumpMs)}, or its clock was set forward: deadlines were extended by as much`
        : `the clock was set back by ${describeMs(-jumpMs)}: deadlines do not depend on it`,
    );
  };
}

import type { ChaosOptions } from './options.ts';
import { replayCommand } from './options.ts';
import { playRound } from './round.ts';
import type { RoundOrder } from './round.ts';
import type { Programs } from './scene.ts';
import { describeTally, makeTally } from './tally.ts';
import type { Tally } from './tally.ts';

export interface ChaosEnd {
  readonly violations: readonly string[];
  readonly tally: Tally;
}

/** The nemesis goes home early enough for the round to end in time. */
const CALM_SHARE = 0.6;

const DISK_OF_ITS_OWN = 'full disks: the repository is on a small file system of its own, which is filled up';
const NO_DISK = 'full disks: nothing can be mounted here (root on Linux could), so only failpoints tell of one';

/** Rounds until enough tasks were through it, the time is over, or something is violated. */
export async function runChaos(
  options: ChaosOptions,
  programs: Programs,
  print: (line: string) => void,
): Promise<ChaosEnd> {
  const startedMs = Date.now();
  const tally = makeTally();
  const forMs = (options.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const order = { ...options, programs, tally, calmAtMs: startedMs + forMs * CALM_SHARE, print };
  const violations: string[] = [];
  let next = options.round ?? 0;
  let begun = 0;
  const mayBegin = (): boolean =>
    violations.length === 0 &&
    (begun === 0 || (options.round === null && begun < options.runs && Date.now() < order.calmAtMs));
  const playOn = async (): Promise<void> => {
    while (mayBegin()) {
      const round = next;
      next += 1;
      begun += options.tasks;
      violations.push(...(await tellRound(order, round)));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.beside) }, playOn));
  return { violations, tally };
}

async function tellRound(order: Omit<RoundOrder, 'seed'> & ChaosOptions, round: number): Promise<readonly string[]> {
  const { tally, print } = order;
  const beganMs = Date.now();
  const { violations, kept, isMounted } = await playRound({ ...order, seed: order.seed * 10_000 + round });
  if (tally.counts.get('rounds') === 1) print(isMounted ? DISK_OF_ITS_OWN : NO_DISK);
  print(
    `round ${round}: ${Math.round((Date.now() - beganMs) / 1000)} s, ${tally.counts.get('landings') ?? 0} landings`,
  );
  if (kept !== null) print(`kept: ${kept}`);
  for (const line of violations) print(`VIOLATION ${line}`);
  if (violations.length > 0) print(`the same choices again: ${replayCommand(order, round)}`);
  return violations;
}

/** What a run came to, in figures. */
export function describeChaos({ violations, tally }: ChaosEnd, seconds: number): readonly string[] {
  const of = (start: string): number =>
    violations.filter((line) => line.replace(/^after housekeeping: /, '').startsWith(start)).length;
  return [
    ...describeTally(tally),
    `${Math.round(seconds)} s, ${violations.length} violations`,
    `${of('lost')} lost commits, ${of('double')} double landings, ${of('red')} red mains, ${of('a stranger')} foreign processes signalled`,
  ];
}

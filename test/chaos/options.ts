/** What a chaos run is asked for. */
export interface ChaosOptions {
  /** Tasks in all rounds together, at least. */
  readonly runs: number;
  /** Loops at once. */
  readonly parallel: number;
  /** Rounds beside each other: one alone waits more than it works. */
  readonly beside: number;
  readonly seed: number;
  /** No round begins after that, and the one under way comes to its end; null: until `runs` is reached. */
  readonly seconds: number | null;
  /** Tasks of one round. */
  readonly tasks: number;
  /** Only this round of the seed, for looking at it again; null: all. */
  readonly round: number | null;
  /** Keep every round's folder, not only those with a violation. */
  readonly keep: boolean;
}

export const DEFAULTS: ChaosOptions = {
  runs: 1000,
  parallel: 16,
  beside: 1,
  seed: 1,
  seconds: null,
  tasks: 60,
  round: null,
  keep: false,
};

const USAGE =
  'usage: npm run chaos -- [--runs 1000] [--parallel 16] [--beside 1] [--seed 1] [--seconds T] [--tasks 60] [--round N] [--keep] [--matrix]';

/** Reads the command line; a text that says what is wrong with it. */
export function parseOptions(argv: readonly string[]): ChaosOptions | string {
  const found: Record<string, number | boolean> = {};
  for (let at = 0; at < argv.length; at += 1) {
    const name = argv[at]?.replace(/^--/, '') ?? '';
    if (!Object.hasOwn(DEFAULTS, name)) return `unknown: ${argv[at]}\n${USAGE}`;
    if (name === 'keep') found[name] = true;
    else {
      const value = Number(argv[(at += 1)]);
      if (!Number.isInteger(value) || value < 0) return `--${name} takes a whole number\n${USAGE}`;
      found[name] = value;
    }
  }
  return { ...DEFAULTS, ...found };
}

/** The command that makes the same choices again. Timing is real, so what comes of them may differ. */
export function replayCommand({ parallel, seed, tasks }: ChaosOptions, round: number): string {
  return `npm run chaos -- --seed ${seed} --parallel ${parallel} --tasks ${tasks} --round ${round} --keep`;
}

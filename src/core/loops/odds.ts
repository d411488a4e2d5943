import { VERDICTS_MAX } from '../model/model.ts';
import type { Odds, State, VerdictKind } from '../model/model.ts';
import type { Sha } from '../model/ids.ts';

/** What we believe before anything was seen: few items are red. Optimistic, because one red run tells more than many small green ones. */
const PRIOR = { red: 0.2, green: 12 };
/** A gate that lies once in three hundred runs, until it shows otherwise. */
const FLAKE_PRIOR = { flaky: 0.1, firm: 30 };
/** What happened long ago counts less. */
const KEEP = 0.99;

/** How likely the next item turns a green train red. */
export function hazardOf({ red, green }: Odds): number {
  return (PRIOR.red + red) / (PRIOR.red + red + PRIOR.green + green);
}

/** How likely the gates call a good tree red. */
export function flakeOf({ flaky, firm }: Odds): number {
  return (FLAKE_PRIOR.flaky + flaky) / (FLAKE_PRIOR.flaky + flaky + FLAKE_PRIOR.firm + firm);
}

export const sawGreen = (odds: Odds, items: number): Odds => ({
  ...odds,
  red: odds.red * KEEP ** items,
  green: odds.green * KEEP ** items + items,
});

export const sawRed = (odds: Odds): Odds => ({ ...odds, red: odds.red * KEEP + 1, green: odds.green * KEEP });

/** A tree that is good was judged: once wrongly, or rightly. */
export const sawVerdict = (odds: Odds, kind: 'flaky' | 'firm'): Odds => ({
  ...odds,
  flaky: odds.flaky * KEEP + (kind === 'flaky' ? 1 : 0),
  firm: odds.firm * KEEP + (kind === 'firm' ? 1 : 0),
});

export const withOdds = (state: State, change: (odds: Odds) => Odds): State => ({ ...state, odds: change(state.odds) });

const keyOf = (gatesHash: string, tree: Sha): string => `${gatesHash}:${tree}`;

/** What the gates said of exactly this tree, if they ever ran on it. The newest answer counts. */
export function verdictOf(state: State, gatesHash: string, tree: Sha): VerdictKind | null {
  const key = keyOf(gatesHash, tree);
  return state.verdicts.findLast((known) => known.key === key)?.verdict ?? null;
}

export function recordVerdict(state: State, gatesHash: string, tree: Sha, verdict: VerdictKind): State {
  const key = keyOf(gatesHash, tree);
  const others = state.verdicts.filter((known) => known.key !== key);
  const verdicts = [...others, { key, verdict }].slice(-VERDICTS_MAX);
  const base = state.bases[gatesHash];
  // Main was red and this is its tree: nothing is held back any more, whoever ran the gates.
  return verdict === 'green' && base?.tree === tree && base.red !== null
    ? { ...state, verdicts, bases: { ...state.bases, [gatesHash]: { ...base, red: null, mending: {} } } }
    : { ...state, verdicts };
}

/** Whether gates of any kind have passed exactly this tree. */
export const isGreenTree = (state: State, tree: Sha): boolean =>
  state.verdicts.some(({ key, verdict }) => verdict === 'green' && key.endsWith(`:${tree}`));

import type { Odds, State } from '../model/model.ts';

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

import type { Sha } from '../model/ids.ts';
import type { State, VerdictKind } from '../model/model.ts';
import { VERDICTS_MAX } from '../model/model.ts';

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

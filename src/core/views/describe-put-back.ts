import type { PutBack, State } from '../model/model.ts';

const SHORT_DIGITS = 10;

/** What was put aside from integration, in words. Whole names: a person looks for them. */
export function describePutBack({ found, to, kept, failing }: PutBack, target: string): string {
  const back = `it is back at ${to.slice(0, SHORT_DIGITS)}`;
  const ref = `refs/paralph/int/${target}`;
  if (found === null) return `${ref} was deleted or damaged; ${back}`;
  const where = kept === null ? 'there was nothing to keep' : `kept as ${kept}`;
  return failing === null
    ? `${ref} was moved to ${found}, which is no landing and not on ${target}; ${where}; ${back}`
    : `${ref} held commits up to ${found} that the log does not know, and ${failing} fails on them; ${where}; ${back}`;
}

/** What was put aside since this run began. */
export function putBacksOf(state: State): readonly string[] {
  const { putBacks, run } = state;
  return putBacks.filter(({ at }) => at >= run.since).map((one) => describePutBack(one, state.target ?? 'main'));
}

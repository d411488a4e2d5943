import type { Event } from './events.ts';
import type { Sha } from './ids.ts';

/** The refs that keep work, each with the commit it names, as the log has heard of them. */
export type Keeps = Readonly<Record<string, Sha>>;

/** What a look at those refs showed that the log does not know. */
export type KeepNews = Omit<Extract<Event, { type: 'keeps-changed' }>, 'type'>;

export const isNoNews = ({ made, dropped, putBack, lost }: KeepNews): boolean =>
  Object.keys(made).length + dropped.length + putBack.length + lost.length === 0;

/** What was let go of is nobody's business any more, and what is lost is told once. */
export function keepsChanged(keeps: Keeps, { made, dropped, lost }: KeepNews): Keeps {
  const gone = new Set([...dropped, ...lost]);
  return Object.fromEntries([...Object.entries(keeps).filter(([ref]) => !gone.has(ref)), ...Object.entries(made)]);
}

/** What became of refs that somebody else deleted or moved, in words; null: nobody did. */
export function describeKeeps({ putBack, lost }: KeepNews): string | null {
  const said = [
    putBack.length === 0 ? [] : [`refs that keep work were deleted or moved, and are put back: ${namesOf(putBack)}`],
    lost.length === 0 ? [] : [`refs that kept work are gone, and so are their commits: ${namesOf(lost)}`],
  ].flat();
  return said.length === 0 ? null : said.join('; ');
}

const NAMES_SHOWN = 5;

function namesOf(refs: readonly string[]): string {
  const more = refs.length - NAMES_SHOWN;
  return `${refs.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

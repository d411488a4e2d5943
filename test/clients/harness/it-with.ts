import { it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { binOf, isRequired } from './clients.ts';
import type { ClientName } from './clients.ts';

type It = (name: string, body: () => Promise<void>, timeoutMs?: number) => void;

/** `it` for a test that some machines cannot do and no machine must: elsewhere the reason is printed. */
export const itWhere = (isThere: boolean, reason: string): It =>
  isThere ? it : (name) => it(name, ({ skip }) => skip(reason));

/** `it` for a test with real clients. Without one of them the reason is printed; with CI=true those we require must be there. */
export function itWith(...names: readonly ClientName[]): It {
  const missing = names.filter((name) => binOf(name) === null);
  const what = `${missing.join(' and ')}: node scripts/clients.mjs`;
  if (missing.some(isRequired)) return itNeeds(what, false);
  return itWhere(missing.length === 0, `needs ${what}`);
}

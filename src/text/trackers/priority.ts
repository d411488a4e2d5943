const WORDS = new Map<string, number>([
  ['critical', 0],
  ['urgent', 0],
  ['high', 1],
  ['medium', 2],
  ['normal', 2],
  ['low', 3],
]);

/** A priority as people write it: a number, a word, or P0 to P9. Lower runs first; null when it says nothing. */
export function parsePriority(text: string): number | null {
  const word = text.trim().toLowerCase();
  const level = /^p(\d)$/.exec(word)?.[1];
  if (level !== undefined) return Number(level);
  if (/^[-+]?\d{1,15}(?:\.\d{1,15})?(?:e\d{1,2})?$/.test(word)) return Number(word);
  return WORDS.get(word) ?? null;
}

export const PRIORITY_FORMS = 'a number, P0 to P9, or high, medium, low';

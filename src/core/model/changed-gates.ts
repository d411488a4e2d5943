/** How a list of gates differs from the one before, in one line; null: it does not, or nobody knows what was before. */
export function describeChangedGates(before: readonly string[] | undefined, now: readonly string[]): string | null {
  if (before === undefined) return null;
  const without = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((one) => !others.includes(one)).map((one) => JSON.stringify(one));
  const [added, removed] = [without(now, before), without(before, now)];
  if (added.length + removed.length === 0) return null;
  const parts = [
    ...(added.length === 0 ? [] : [`new: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`gone: ${removed.join(', ')}`]),
  ];
  return `the gates have changed since the last run: ${parts.join('; ')}`;
}

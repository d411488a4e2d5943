/** Thrown when the code itself is wrong: never caught by code, reported as exit 70. */
class Bug extends Error {
  override name = 'Bug';
}

export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Bug(what);
}

/** Makes a switch over a closed union exhaustive: the compiler refuses a missing case. */
export function unreachable(value: never): never {
  throw new Bug(`unreachable value: ${JSON.stringify(value)}`);
}

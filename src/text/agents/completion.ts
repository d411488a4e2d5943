/** The agent says it is done only if the promise is the very last thing it said: a sentence that quotes it does not count. */
export function claimsDone(finalText: string, promise: string): boolean {
  return finalText.trimEnd().endsWith(`<promise>${promise}</promise>`);
}

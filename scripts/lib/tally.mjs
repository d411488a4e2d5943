/** Adds up counts, closes the output with one line, and sets the exit code. */
export function closeWith(parts) {
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  const skipped = sum('skipped') === 0 ? '' : `, ${sum('skipped')} skipped`;
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
}

/** A crowded machine makes one or two files miss a deadline; more than this is a fault of the tests or of what they test. */
const FLAKY_FILES_MAX = 3;
const FIRST_LINES_MAX = 12;

const isGreen = (part) => part.failed === 0 && part.red.length === 0 && part.passed > 0;

function tellFlaky({ file, first }) {
  const lines = first.trimEnd().split('\n').slice(0, FIRST_LINES_MAX);
  return [`flaky  ${file}`, ...lines.map((line) => `       ${line}`)];
}

/**
 * Runs each file with a failure once more, alone, and returns the parts with the counts of these second runs instead of the
 * first. A file that is green then is flaky: it counts as passed and is listed with its first failure. Too many of them are
 * one failure more.
 */
export async function rerunAlone(parts, { runFile, tell }) {
  const red = parts.flatMap((part) => part.red ?? []);
  if (red.length === 0) return parts;
  tell(`${red.length} ${red.length === 1 ? 'file' : 'files'} with a failure: once more, each alone`);
  const seconds = [];
  const flaky = [];
  for (const first of red) {
    const second = await runFile(first.file);
    // A second run that ran nothing takes nothing back.
    const counts = isGreen(second) || second.red.length > 0 ? second : { ...second, red: [first] };
    if (isGreen(second)) flaky.push(first);
    seconds.push(counts);
  }
  for (const line of flaky.flatMap(tellFlaky)) tell(line);
  const isTooMany = flaky.length > FLAKY_FILES_MAX;
  if (flaky.length > 0)
    tell(`${isTooMany ? 'FAILED' : 'ok    '} flaky files: ${flaky.length}, at most ${FLAKY_FILES_MAX}`);
  return [
    ...parts.map((part) => ({ ...part, red: [] })),
    ...seconds,
    { passed: 0, failed: isTooMany ? 1 : 0, skipped: 0, red: [] },
  ];
}

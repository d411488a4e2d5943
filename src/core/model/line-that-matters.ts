import type { GateReport } from './model.ts';

const CHARS_MAX = 240;
/** An error that ends in a colon says what it is in one of the next lines. */
const JOINED_MAX = 3;

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What programs print after, around and below what was wrong: sums, frames, stacks, dumps, and what passed. */
const NOISE: readonly RegExp[] = [
  /^\W*$/,
  /^(?:npm|pnpm|yarn)\b.*\bwarn/i,
  /^> /,
  /^Node\.js v\d/,
  /^make(?:\[\d+\])?: (?:\*\*\*.*Error \d+|Leaving|Entering)/,
  // Sums.
  /^(?:Test Files|Test Suites|Tests|Snapshots|Time|Start at|Duration|Ran all|Ran \d+ tests?|Found \d+ errors?)\b/,
  /^(?:FAIL|FAILED|OK|ok)(?:$|\t| \()/,
  /^=+ .* =+$|^-+ .* -+$|^_+ .* _+$|^!+ .* !+$|^⎯+.*⎯+$/,
  /^\d+ (?:failed|passed)\b.* in [\d.]+s$/,
  /^(?:# )?(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/,
  /^(?:test result|failures|exit status \d+|coverage)\b/,
  /^error: (?:test failed, to rerun|could not compile|aborting due to|process didn't exit)/,
  /^(?:note|help|hint|For more information)\b/i,
  // Frames of source, stacks, differences, dumps of an error's fields.
  /^(?:> ?)?\d* ?\|/,
  /^at /,
  /^\S+:\d+: in \S+$/,
  /^\d+: \S+(?:::|$)/,
  /^[+-] /,
  /^(?:generatedMessage|code|actual|expected|operator|errno|syscall|duration_ms|name|type|failureType|location|stack):/,
  // What went well, whatever it is called.
  /^(?:✓|✔|√|ok \d|PASS\b)|(?:\.\.\. ok| PASSED)$/,
  // Of a file that failed as a whole, node's test runner says only that; what it printed stands above.
  /^error: '(?:test|\d+ subtests?) failed'$/,
  /^not ok \d+ - \S+\.[cm]?[jt]sx?$/,
  // Ours.
  /^\(gates do not get |^To commit the work anew |^git reset --soft /,
];
/** npm's account of a script that failed; it matters where there is nothing else. */
const NPM = /^npm (?:ERR!|error)\s*/;
/** TAP passes on what a test printed as comments. */
const TAP_COMMENT = /^# (?!Subtest)(?=\w*(?:Error|Exception)\b)/;
const MARK = /^(?:E {2,}|[×✖] )/;

/** Lines that say what was wrong. */
const TELLING: readonly RegExp[] = [
  /^(?:Uncaught |E {2,})?[\w.]*(?:Error|Exception)\b(?: \[\w+\])?:/,
  /(?:^|[\s:)])(?:fatal )?error(?:\[\w+\])?(?: TS\d+)?:/i,
  /^(?:fatal|panic):|\bpanicked at\b/,
  /^(?:FAILED|ERROR) \S+ - /,
  /^[×✕✖●] \S/,
  /^not ok \d/,
  /^\S+\.\w+:\d+(?::\d+)?: \S/,
  /\b(?:not found|No such file|Permission denied|permission denied|No rule to make)\b/,
  /^\((?:stopped after|killed by) /,
];

/** A file by a name below the folder that everything ran in, with its line. */
const FILE = /(?:^|[\s('"])((?:\.\/)?[\w@-][\w@.\-/]*\.[A-Za-z]\w{0,7}(?::\d+|\(\d+,\d+\)))/;
const PYTHON_FILE = /^File "([^"/][^"]*)", line (\d+)/;
const NAMES_FILE = /[\w-]\.[A-Za-z]\w{0,7}(?::\d|\(\d|::)/;

/** The line of an output that says what was wrong, the last one of these, with the file where another line tells it; empty: there is none. */
export function lineThatMatters(output: string): string {
  const all = output
    .replaceAll(COLOURS, '')
    .split('\n')
    .map((line) => line.trim().replace(TAP_COMMENT, ''));
  const lines = all.map((line) => (isNoise(line) ? '' : line));
  const at = placeOf(lines, all);
  if (at < 0) return '';
  const said = joined(lines, at).replace(NPM, '').replace(MARK, '');
  const file = NAMES_FILE.test(said) ? null : fileAround(all, at);
  const line = file === null ? said : `${file}: ${said}`;
  return line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX - 1)}…` : line;
}

/** The command that failed, and what it said of it. */
export const describeRed = ({ failing, tail }: Pick<GateReport, 'failing' | 'tail'>, where = ''): string => {
  const line = lineThatMatters(tail);
  return `${failing ?? 'a gate'}${where}${line === '' ? '' : `: ${line}`}`;
};

const isNoise = (line: string): boolean => NOISE.some((one) => one.test(line));

function placeOf(lines: readonly string[], all: readonly string[]): number {
  const telling = lines.findLastIndex((line) => !NPM.test(line) && TELLING.some((one) => one.test(line)));
  if (telling >= 0) return telling;
  const plain = lines.findLastIndex((line) => line !== '' && !NPM.test(line));
  if (plain >= 0) return plain;
  const npm = lines.findIndex((line) => line.replace(NPM, '') !== '');
  return npm >= 0 ? npm : all.findLastIndex((line) => line !== '');
}

function joined(lines: readonly string[], at: number): string {
  let said = lines[at] ?? '';
  const rest = lines.slice(at + 1).filter((line) => line !== '');
  for (const next of rest.slice(0, JOINED_MAX)) {
    if (!/(?::|\|-?)$/.test(said)) break;
    said = `${said.replace(/ \|-?$/, '')} ${next}`;
  }
  return said;
}

/** Below it stands where it was, in most languages; in some, above. */
function fileAround(lines: readonly string[], at: number): string | null {
  const found = [...lines.slice(at + 1), ...lines.slice(0, at).reverse()].map(fileIn);
  return found.find((file) => file !== null) ?? null;
}

function fileIn(line: string): string | null {
  const python = PYTHON_FILE.exec(line);
  if (python !== null) return `${python[1] ?? ''}:${python[2] ?? ''}`;
  const file = FILE.exec(line)?.[1] ?? null;
  return file === null || /(?:^|\/)node_modules\//.test(file) ? null : file;
}

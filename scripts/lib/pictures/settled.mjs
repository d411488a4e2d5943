// What differs from run to run, written as it would be in any: ids of loops, commits, times, the scratch folder.

const TASKS = 'login search colour logout export import english french goodbye manual blue green version red liar';
const LOOP = new RegExp(`\\b(${TASKS.replaceAll(' ', '|')})-[0-9a-z]{4}(?![\\w-])`, 'g');
const COMMIT = /(?<![\w/-])[0-9a-f]{7,40}(?![\w-])/g;

// oxlint-disable-next-line no-control-regex
const COLOURS = /(\u001b\[[0-9;]*m)/;
// oxlint-disable-next-line no-control-regex
const ALL_COLOURS = /\u001b\[[0-9;]*m/g;

const commitOf = (n) =>
  [3, 5, 7]
    .map((factor) => Math.imul(n + factor, 0x9e3779b1) >>> 16)
    .map((part) => part.toString(16).padStart(4, '0'))
    .join('');

/** What a run says only where a second passes without a word. */
const WHEN_SLOW = /^(?:[\d:]* ?\S+: (?:its gates run|its worktree is made|main is merged)|the gates run on )/;
const AGE = '1m';
/** An age at the right end of its column: the blanks before it belong to it. */
const AGE_IN_COLUMN = /( {2,})\d+(?:\.\d)?(?:ms|[smhd])(?![\w.])/g;
const AGE_IN_WORDS = /(?<![\w.])\d+(?:ms|[smhd])(?![\w.])/g;
/** The head of the view: what is left of the run is pushed to the right. */
const HEAD = / run .* left *$/;

const isCode = (part) => part.startsWith('\u001b');
const widthOf = (parts) => parts.reduce((sum, part) => sum + (isCode(part) ? 0 : part.length), 0);

/** The same width as before, by more or fewer blanks where most of them are. */
function refitted(parts, width) {
  const gaps = parts.flatMap((part, at) =>
    isCode(part) ? [] : [...part.matchAll(/ {2,}/g)].map((gap) => ({ at, gap })),
  );
  const widest = gaps.sort((a, b) => b.gap[0].length - a.gap[0].length)[0];
  if (widest === undefined) return parts;
  const { at, gap } = widest;
  const blanks = ' '.repeat(Math.max(1, gap[0].length + width - widthOf(parts)));
  const part = parts[at];
  return parts.with(at, part.slice(0, gap.index) + blanks + part.slice(gap.index + gap[0].length));
}

/** A screen, or all that was printed, as it is in any run. */
export function settled(screen) {
  const seen = new Map();
  const numbered = (text) => {
    if (!seen.has(text)) seen.set(text, commitOf(seen.size));
    return seen.get(text);
  };
  const settle = (text) =>
    text
      .replaceAll(LOOP, '$1-3f2a')
      .replaceAll(COMMIT, (id) => numbered(id.slice(0, 7)).padEnd(id.length, '0').slice(0, id.length))
      .replaceAll(/(?<![\d:])\d\d:\d\d(?![\d:])/g, '22:14')
      .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '22:14:07')
      .replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, (when) => '2026-01-15 22:14'.slice(0, when.length))
      .replace(/^ +[\d.ms ]+(?=, \d+ iterations)/, '  24s')
      .replace(/(?<=^ +time: ).+/, '24s')
      .replaceAll(/\b\d+\.\ds\b/g, '1.2s')
      .replaceAll(AGE_IN_COLUMN, (cell) => AGE.padStart(cell.length))
      .replaceAll(/(?:about \S+|\?)(?= left)/g, 'about 2m')
      .replaceAll(AGE_IN_WORDS, AGE);
  const line = (row) => {
    const before = row.split(COLOURS);
    const after = before.map((part) => (isCode(part) ? part : settle(part)));
    return (HEAD.test(row.replaceAll(ALL_COLOURS, '')) ? refitted(after, widthOf(before)) : after).join('');
  };
  return screen
    .split('\n')
    .filter((row) => !WHEN_SLOW.test(row.replaceAll(ALL_COLOURS, '')))
    .map(line)
    .join('\n');
}

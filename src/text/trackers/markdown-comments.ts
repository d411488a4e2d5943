/** An HTML comment in a stretch of Markdown; `end` is past its `-->`. */
export interface Comment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface CommentScan {
  readonly comments: readonly Comment[];
  /** Offset of a `<!--` that nothing closes, or null. */
  readonly unclosed: number | null;
}

/**
 * The comments that begin between two offsets, code spans left alone. A comment may run past `to`; one whose `-->`
 * comes only after another `<!--` was forgotten open, and taking it as a comment would swallow the tasks between.
 */
export function scanComments(text: string, from: number, to: number): CommentScan {
  const comments: Comment[] = [];
  const line = text.slice(from, to);
  if (!line.includes('<!--')) return { comments, unclosed: null };
  const spans = codeSpans(line);
  let at = from;
  let span = 0;
  for (;;) {
    const found = line.indexOf('<!--', at - from);
    if (found === -1) return { comments, unclosed: null };
    const start = from + found;
    while (span < spans.length && from + (spans[span]?.end ?? 0) <= start) span += 1;
    const inside = spans[span];
    if (inside !== undefined && from + inside.start < start) {
      at = from + inside.end;
      continue;
    }
    const end = closeOf(text, start);
    if (end === null) return { comments, unclosed: start };
    comments.push({ start, end, text: text.slice(start + 4, Math.max(start + 4, end - 3)) });
    at = end;
  }
}

function closeOf(text: string, start: number): number | null {
  const next = text.indexOf('<!--', start + 4);
  const within = text.slice(start + 2, next === -1 ? text.length : next);
  const close = within.indexOf('-->');
  return close === -1 ? null : start + 2 + close + 3;
}

function codeSpans(line: string): { start: number; end: number }[] {
  const runs = [...line.matchAll(/`+/g)];
  const lastOfLength = new Map<number, number>();
  for (const [index, run] of runs.entries()) lastOfLength.set(run[0].length, index);
  const spans: { start: number; end: number }[] = [];
  for (let open = 0; open < runs.length; open += 1) {
    const run = runs[open] as RegExpExecArray;
    const length = run[0].length;
    if ((lastOfLength.get(length) ?? 0) <= open) continue;
    let close = open + 1;
    while (runs[close]?.[0].length !== length) close += 1;
    spans.push({ start: run.index, end: (runs[close]?.index ?? 0) + length });
    open = close;
  }
  return spans;
}

export type MetaKey = 'id' | 'group' | 'priority' | 'depends on' | 'story' | 'epic' | 'labels' | 'agent' | 'model';

const META = /(?:^|[,;\s])(id|group|priority|depends[ _-]on|story|epic|labels?|agent|model)\s*:/gi;

/** The `key: value` pairs of a comment; several may share one. */
export function metaOf(commentText: string): { readonly key: MetaKey; readonly value: string }[] {
  const comment = commentText.trim();
  const keys = [...comment.matchAll(META)];
  if (keys[0] === undefined || comment.slice(0, keys[0].index).trim() !== '') return [];
  return keys.map((found, index) => ({
    key: keyOf(found[1] ?? ''),
    value: comment
      .slice(found.index + found[0].length, keys[index + 1]?.index ?? comment.length)
      .replace(/[,;]$/, '')
      .trim(),
  }));
}

function keyOf(written: string): MetaKey {
  const key = written.toLowerCase().replace(/[_-]/, ' ');
  return (key === 'label' ? 'labels' : key) as MetaKey;
}

/** In any second there are at most this many frames; the last of them is left to keys, so that one is answered at once. */
const FRAMES_MAX = 4;
const SECOND_MS = 1000;
/** Between frames nobody asked for by a key. */
const CALM_MS = 340;

const ESCAPE = '\u001b[';
const BEGIN = `${ESCAPE}?2026h`;
const END = `${ESCAPE}?2026l`;

export interface Painter {
  /** Shows these rows: at once, or as soon as there may be another frame. `byKey`: a person waits for it. */
  readonly show: (rows: () => readonly string[], byKey?: boolean) => void;
  /** What is on the screen is unknown: the next frame is drawn whole. */
  readonly forget: () => void;
  readonly stop: () => void;
}

export interface PainterFacts {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  /** Whether a row leaves room behind it, which must be wiped. */
  readonly isFull: (row: string) => boolean;
}

/** Writes only the rows that changed, and nothing where none did. */
export function openPainter({ write, nowMs, isFull }: PainterFacts): Painter {
  let shown: readonly string[] | null = null;
  let frames: readonly number[] = [];
  let wanted: (() => readonly string[]) | null = null;
  let timer: NodeJS.Timeout | null = null;
  let dueMs = 0;

  const paint = (): void => {
    timer = null;
    if (wanted === null) return;
    const rows = wanted();
    wanted = null;
    const text = changes(shown, rows, isFull);
    shown = rows;
    if (text === '') return;
    frames = [...frames.slice(1 - FRAMES_MAX), nowMs()];
    write(`${BEGIN}${text}${END}`);
  };

  const show: Painter['show'] = (rows, byKey = false) => {
    wanted = rows;
    const due = dueAt(frames, byKey);
    if (timer !== null && due >= dueMs) return;
    if (timer !== null) clearTimeout(timer);
    dueMs = due;
    timer = setTimeout(paint, Math.max(0, due - nowMs()));
  };

  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    wanted = null;
  };

  return { show, stop, forget: () => void (shown = null) };
}

/** When the next frame may be. */
function dueAt(frames: readonly number[], byKey: boolean): number {
  const first = frames.length < FRAMES_MAX ? 0 : (frames.at(-FRAMES_MAX) ?? 0) + SECOND_MS;
  return Math.max(first, byKey ? 0 : (frames.at(-1) ?? 0) + CALM_MS);
}

/** The codes that make one screen of another. */
export function changes(
  before: readonly string[] | null,
  after: readonly string[],
  isFull: (row: string) => boolean,
): string {
  const rows = after.flatMap((row, at) =>
    before?.[at] === row ? [] : [`${ESCAPE}${at + 1};1H${row}${isFull(row) ? '' : `${ESCAPE}K`}`],
  );
  if (before === null) return `${ESCAPE}2J${rows.join('')}`;
  return rows.join('') + (before.length > after.length ? `${ESCAPE}${after.length + 1};1H${ESCAPE}J` : '');
}

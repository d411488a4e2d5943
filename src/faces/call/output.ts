import { EXIT } from '../../core/model/errors.ts';
import { alignRows } from '../../text/screen/table.ts';

/** Standard output is data, standard error is messages. */
export interface Output {
  /** For people: left out where an answer in JSON is asked for. */
  data(text: string): void;
  /** One JSON object on a line of its own. */
  event(value: object): void;
  json(value: unknown): void;
  say(text: string): void;
  /** A sequence for the terminal that a person sits at; where there is none it goes nowhere. */
  note(sequence: string): void;
  /** Rows that stay below everything that is printed, until there are others; null: none. Only for a terminal. */
  pin(pinned: Pinned | null): void;
  /** From now on what cannot be said is left unsaid: there is work that must not end for want of a listener. */
  goOnUnheard(): void;
  readonly style: Style;
  /** Whether what is written there has colours. */
  readonly paints: (stream: Pick<NodeJS.WriteStream, 'isTTY'>) => boolean;
  /** How many columns standard output has; infinitely many where nobody looks at it. */
  readonly width: number;
}

/** What is written before and after each text, so that some rows stay below it. */
export interface Pinned {
  readonly wipe: () => string;
  readonly draw: () => string;
  /** Somebody else has the terminal: what is printed waits. */
  readonly isLent: () => boolean;
}

/** What a person wishes for this call; auto: a terminal that nobody asked to be plain. */
export const COLOR_WISHES = ['auto', 'always', 'never'] as const;
export type ColorWish = (typeof COLOR_WISHES)[number];

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export function openOutput(
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>,
  { isForPeople = true, color = 'auto' }: { readonly isForPeople?: boolean; readonly color?: ColorWish } = {},
): Output {
  const paints: Output['paints'] = (stream) => (color === 'auto' ? wantsColour(env, stream) : color === 'always');
  let goesOn = false;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `ralph logs --follow | head` has seen enough; a full disk under our output is nobody's wish to end.
      if (error.code === 'EPIPE' && !goesOn) process.exit(EXIT.ok);
    });
  let pinned: Pinned | null = null;
  let held: (() => void)[] = [];
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (pinned?.isLent() === true) held.push(() => write(stream, text));
    else stream.write(pinned === null ? text : `${pinned.wipe()}${text}${pinned.draw()}`);
  };
  return {
    data: (text) => void (isForPeople && write(stdout, `${text}\n`)),
    event: (value) => write(stdout, `${JSON.stringify(value)}\n`),
    json: (value) => write(stdout, `${JSON.stringify(value, null, 2)}\n`),
    say: (text) => write(stderr, `${text}\n`),
    pin: (next) => {
      if (pinned !== null && !pinned.isLent()) stderr.write(pinned.wipe());
      pinned = next;
      const waited = held;
      held = [];
      for (const print of waited) print();
      if (pinned !== null && !pinned.isLent()) stderr.write(pinned.draw());
    },
    note: (sequence) => {
      if (stderr.isTTY && (env['CI'] ?? '') === '') stderr.write(sequence);
    },
    goOnUnheard: () => {
      goesOn = true;
    },
    style: styleFor(paints(stderr)),
    paints,
    width: widthOf(env, stdout),
  };
}

/** For a face without streams: what is printed and said is kept, and heard as it comes. */
export function collectOutput(onSay: (text: string) => void): {
  readonly out: Output;
  readonly printed: readonly string[];
  readonly said: readonly string[];
  readonly json: readonly object[];
} {
  const [printed, said, json]: [string[], string[], object[]] = [[], [], []];
  const say = (text: string): void => {
    said.push(text);
    onSay(text);
  };
  const out: Output = {
    data: (text) => void printed.push(text),
    event: (value) => void json.push(value),
    json: (value) => void json.push(value as object),
    say,
    note: () => {},
    pin: () => {},
    goOnUnheard: () => {},
    style: styleFor(false),
    paints: () => false,
    width: Number.POSITIVE_INFINITY,
  };
  return { out, printed, said, json };
}

function wantsColour(env: NodeJS.ProcessEnv, stream: Pick<NodeJS.WriteStream, 'isTTY'>): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** A terminal knows; where there is none, or one that does not say, a person may. */
function widthOf(env: NodeJS.ProcessEnv, { columns: seen }: NodeJS.WriteStream): number {
  const told = /^[1-9]\d{0,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : Number.POSITIVE_INFINITY;
  return seen > 0 ? seen : told;
}

function styleFor(colour: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    colour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) };
}

export const columns = alignRows;

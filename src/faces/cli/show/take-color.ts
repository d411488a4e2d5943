import { AppError } from '../../../core/model/errors.ts';
import { COLOR_WISHES } from '../../call/output.ts';
import type { ColorWish } from '../../call/output.ts';

export interface TakenColor {
  readonly words: readonly string[];
  readonly color: ColorWish;
  /** It was said, and cannot be meant. */
  readonly fault: AppError | null;
}

/** `--color=WHEN` may stand before or behind any command, and is about this process alone: no agent and no gate hears of it. */
export function takeColor(words: readonly string[]): TakenColor {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  // The last one counts.
  const at = own.findLastIndex((word) => word === '--color' || word.startsWith('--color='));
  const found = own[at];
  if (found === undefined) return { words, color: 'auto', fault: null };
  const isApart = found === '--color';
  const said = isApart ? own[at + 1] : found.slice('--color='.length);
  const rest = takeColor(words.toSpliced(at, isApart ? 2 : 1)).words;
  const color = COLOR_WISHES.find((one) => one === said);
  return color === undefined
    ? { words: rest, color: 'auto', fault: refused(said ?? '') }
    : { words: rest, color, fault: null };
}

const refused = (said: string): AppError =>
  new AppError('E_USAGE', `--color ${said}: not ${COLOR_WISHES.join(', ')}`, { remedy: 'ralph --color=never status' });

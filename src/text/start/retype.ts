import { shellWord } from '../../core/model/shell-word.ts';

/** Flags that a remedy may change and that take a value. */
const VALUED: readonly string[] = ['--branch', '--from', '--path'];

/** What the flags shall be now; true: given without a value; null: not given. */
export type Flags = Readonly<Record<string, string | true | null>>;

/** The command once more, word for word but for these flags, ready to paste. */
export function retype(words: readonly string[], flags: Flags): string {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const isChanged = (word: string | undefined): boolean => Object.hasOwn(flags, word?.split('=')[0] ?? '');
  const isValue = (at: number): boolean => VALUED.includes(words[at - 1] ?? '') && isChanged(words[at - 1]);
  const same = words.slice(0, end).filter((word, at) => !isChanged(word) && !isValue(at));
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === null ? [] : value === true ? [flag] : [flag, value],
  );
  // Behind two dashes everything is text.
  return ['ralph', ...[...same, ...given, ...words.slice(end)].map(typed)].join(' ');
}

/** A flag is no less safe without quotes. */
const typed = (word: string): string => (/^--[a-z-]*$/.test(word) ? word : shellWord(word));

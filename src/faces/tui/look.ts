import type { Look } from './line.ts';

/** What a terminal can show, by what its user says of it. */
export const lookOf = (
  env: NodeJS.ProcessEnv,
  { isTerminal, isAscii }: { readonly isTerminal: boolean; readonly isAscii: boolean },
): Look => ({
  colour: isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
  ascii: isAscii || !isUtf8(env),
});

const isUtf8 = (env: NodeJS.ProcessEnv): boolean =>
  /utf-?8/i.test([env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '') ?? '');

import type { Output } from '../call/output.ts';
import type { Look } from './line.ts';

/** What a terminal can show, by what its user says of it. */
export const lookOf = (
  { paints }: Pick<Output, 'paints'>,
  env: NodeJS.ProcessEnv,
  { stream, isAscii }: { readonly stream: Pick<NodeJS.WriteStream, 'isTTY'>; readonly isAscii: boolean },
): Look => ({ colour: paints(stream), ascii: isAscii || !isUtf8(env) });

const isUtf8 = (env: NodeJS.ProcessEnv): boolean =>
  /utf-?8/i.test([env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '') ?? '');

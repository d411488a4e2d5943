import type { Tally } from './tally.mjs';

export function rerunAlone(
  parts: readonly Tally[],
  how: { readonly runFile: (file: string) => Promise<Tally>; readonly tell: (line: string) => void },
): Promise<readonly Tally[]>;

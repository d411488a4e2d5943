import type { Moment } from '../reset-time.ts';
import { type Bag, countAt } from './json.ts';
import type { Tally, Tokens } from './tally.ts';
import type { ToolBook } from './tools.ts';

/** What differs between the clients that print Claude's stream. */
export interface Dialect {
  /** The input tokens include those from the cache. */
  readonly hasCacheInside: boolean;
  /** Who pays, as the first line tells it. */
  readonly billingOf: (init: Bag) => 'key' | 'subscription' | null;
  /** An error the client shows as an answer of the model, and ends with success. */
  readonly isErrorText: (text: string) => boolean;
}

export interface Memory {
  readonly moment: Moment;
  readonly dialect: Dialect;
  readonly tools: ToolBook;
  readonly tally: Tally;
  /** The messages seen last: one message comes in several lines, each with the whole usage. */
  readonly seen: Set<string>;
  /** A limit event told when it is over: more exact than the words of the result. */
  limitIsTold: boolean;
}

export function tokensIn(bag: Bag | null, { hasCacheInside }: Dialect): Tokens {
  const cached = countAt(bag, 'cache_read_input_tokens');
  const beside = hasCacheInside ? 0 : cached + countAt(bag, 'cache_creation_input_tokens');
  return { input: countAt(bag, 'input_tokens') + beside, cached, output: countAt(bag, 'output_tokens') };
}

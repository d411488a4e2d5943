import type { Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, parseBag, textAt } from './json.ts';

/** Continue: `cn -p --format json`, one object and nothing before it. */
export function openContinue(moment: Moment): Reader {
  return {
    read(line) {
      const bag = parseBag(line);
      if (bag === null) return [];
      const error = textAt(bag, 'error') ?? textAt(bag, 'error', 'message');
      const status = textAt(bag, 'status');
      if (error !== null || status === 'error')
        return failure(moment, error ?? textAt(bag, 'message') ?? textAt(bag, 'response') ?? 'ended with an error');
      // An answer that is JSON by itself comes as it is, not wrapped.
      const isWrapped = status === 'success' && typeof at(bag, 'response') === 'string';
      const text = isWrapped ? (textAt(bag, 'response') ?? '') : line.trim();
      return [
        { type: 'said', text, isPart: false },
        { type: 'finished', text, structured: isWrapped ? null : bag, turns: 1 },
      ];
    },
  };
}

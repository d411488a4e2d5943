import type { Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { openClaudeShape } from './claude-shape.ts';
import { textAt } from './json.ts';

/** A subscription shows as `none` or as a source named after OAuth; a key shows as the variable or file it came from. */
const SUBSCRIPTION = /^none$|oauth|login/i;

/** Claude Code: `--output-format stream-json`, alone or held by its control protocol. */
export function openClaude(moment: Moment): Reader {
  return openClaudeShape(moment, {
    hasCacheInside: false,
    billingOf(init) {
      const source = textAt(init, 'apiKeySource');
      if (source === null || source === '') return null;
      return SUBSCRIPTION.test(source) ? 'subscription' : 'key';
    },
    isErrorText: () => false,
  });
}

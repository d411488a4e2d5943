import type { Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { openClaudeShape } from './claude-shape.ts';

/** Whole and alone: an answer that merely quotes such a line is longer. */
const ERROR_TEXT = /^\s*\[API Error: [^\n]*(?:\n[^\n]*){0,3}\]\s*$/;

/** Qwen Code: Claude's stream, with errors of the service told as a success. */
export function openQwen(moment: Moment): Reader {
  return openClaudeShape(moment, {
    hasCacheInside: true,
    billingOf: () => null,
    isErrorText: (text) => ERROR_TEXT.test(text),
  });
}

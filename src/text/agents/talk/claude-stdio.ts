import { objectAt, parseBag, textAt } from '../readers/json.ts';
import type { Bag } from '../readers/json.ts';
import { openProgress } from './talk-types.ts';
import type { Talk, TalkStep } from './talk-types.ts';

const control = (id: string, request: object): string =>
  JSON.stringify({ type: 'control_request', request_id: id, request });

const words = (content: string): string =>
  JSON.stringify({ type: 'user', message: { role: 'user', content }, session_id: '', parent_tool_use_id: null });

const answer = (response: object): string => JSON.stringify({ type: 'control_response', response });

/** Claude's control protocol. Guidance is one more user message, taken up between two tool calls. */
export function openClaudeStdio(prompt: string): Talk {
  const progress = openProgress();
  const { step, fail } = progress;
  let isInterrupted = false;

  const onResult = (said: Bag): TalkStep => {
    const isInOrder = said['is_error'] !== true && said['subtype'] === 'success' && !isInterrupted;
    if (!isInOrder) return fail(`the turn ended with ${textAt(said, 'subtype') ?? 'no reason'}`);
    progress.state = 'turn-ended';
    return step();
  };

  return {
    begin: () => [control('initialize', { subtype: 'initialize', hooks: null }), words(prompt)],
    take: (line) => {
      const said = parseBag(line);
      if (said === null) return step();
      switch (said['type']) {
        case 'control_request':
          return step(replyTo(said));
        case 'result':
          return onResult(said);
        case 'system':
          // A background task that ends wakes it up again: one more turn, with a result of its own.
          if (said['subtype'] === 'init' && progress.state === 'turn-ended') progress.state = 'going';
          return step();
        default:
          return step();
      }
    },
    steer: (text) => {
      if (progress.state === 'failed' || isInterrupted) return null;
      progress.state = 'going';
      return [words(text)];
    },
    interrupt: () => {
      if (progress.state !== 'going') return [];
      isInterrupted = true;
      return [control('interrupt', { subtype: 'interrupt' })];
    },
  };
}

function replyTo(said: Bag): readonly string[] {
  const id = textAt(said, 'request_id');
  if (id === null) return [];
  const request = objectAt(said, 'request');
  const subtype = textAt(request, 'subtype');
  if (subtype !== 'can_use_tool')
    return [answer({ subtype: 'error', request_id: id, error: `not offered: ${subtype ?? 'nothing'}` })];
  const response = { behavior: 'allow', updatedInput: objectAt(request, 'input') };
  return [answer({ subtype: 'success', request_id: id, response })];
}

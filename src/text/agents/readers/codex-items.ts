import type { AgentEvent } from '../agent-event.ts';
import { at, type Bag, bagOf, listAt, textAt } from './json.ts';
import { ANSWERED } from './tally.ts';
import { detailOf, type ToolBook } from './tools.ts';

/** An item of a thread: `agent_message` to `codex exec`, `agentMessage` to the app-server, and so on. */
export function readItem(item: Bag | null, isBeginning: boolean, tools: ToolBook): readonly AgentEvent[] {
  const kind = (textAt(item, 'type') ?? '').replaceAll('_', '').toLowerCase();
  if (kind === 'agentmessage') {
    const text = textAt(item, 'text') ?? '';
    return isBeginning || text === '' ? [] : [{ type: 'said', text, isPart: false }];
  }
  const call = callOf(kind, item);
  if (call === null) return [];
  const id = textAt(item, 'id') ?? '';
  const begun = tools.begin(id, call.name, call.detail);
  // Only the end of the thread tells tokens; a tool call is an answer of the model.
  const begins = begun.length === 0 ? [] : [...begun, ANSWERED];
  return isBeginning ? begins : [...begins, ...tools.end(id, endOf(item))];
}

function callOf(kind: string, item: Bag | null): { readonly name: string; readonly detail: string } | null {
  switch (kind) {
    case 'commandexecution':
      return { name: 'shell', detail: detailOf(textAt(item, 'command') ?? '') };
    case 'filechange':
      return {
        name: 'edit',
        detail: detailOf(
          listAt(item, 'changes')
            .map((change) => textAt(change, 'path') ?? '')
            .join(' '),
        ),
      };
    case 'mcptoolcall':
      return {
        name: `${textAt(item, 'server') ?? 'mcp'}/${textAt(item, 'tool') ?? 'tool'}`,
        detail: detailOf(at(item, 'arguments')),
      };
    case 'websearch':
      return { name: 'search', detail: detailOf(textAt(item, 'query') ?? '') };
    default:
      return null;
  }
}

function endOf(item: Bag | null): 'ended' | 'failed' | 'denied' {
  switch (textAt(item, 'status')) {
    case 'declined':
    case 'rejected':
      return 'denied';
    case 'failed':
      return 'failed';
    default:
      return bagOf(at(item, 'error')) === null ? 'ended' : 'failed';
  }
}

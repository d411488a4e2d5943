import { asList, asText, messageOf, propertiesOf, requestOf } from './conversation.ts';
import type { Answer, Conversation, Json } from './conversation.ts';
import type { Usage } from './scenario.ts';
import { freshId } from './wire.ts';
import type { Reply, Wire } from './wire.ts';

/** Anthropic Messages: Claude. */
export const anthropic: Wire = {
  isFor: (path) => path.endsWith('/messages'),
  read: (body) => {
    const tools = asList(body['tools']).map((tool) => ({
      name: asText(tool['name']),
      properties: propertiesOf(tool['input_schema']),
    }));
    return requestOf(body, tools, asList(body['messages']).map(messageOf));
  },
  answer,
};

function answer(to: Conversation, { text, call }: Answer, usage: Usage): Reply {
  const blocks: Json[] = [];
  if (text !== '') blocks.push({ type: 'text', text });
  if (call !== null) blocks.push({ type: 'tool_use', id: freshId('toolu'), name: call.tool.name, input: call.args });
  const stop_reason = call === null ? 'end_turn' : 'tool_use';
  const counted = {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
  const message = { id: freshId('msg'), type: 'message', role: 'assistant', model: to.model, stop_sequence: null };
  const whole = { ...message, content: blocks, stop_reason, usage: { ...counted, output_tokens: usage.output } };
  const begin = { ...message, content: [], stop_reason: null, usage: { ...counted, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: begin },
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: 'message_stop' },
  ];
  return { whole, events, isNamed: true };
}

function blockEvents(block: Json, index: number): Json[] {
  const isText = block['type'] === 'text';
  const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block['text'] }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}

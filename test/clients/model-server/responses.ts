import { asList, asText, propertiesOf, requestOf, textOf } from './conversation.ts';
import type { Answer, Conversation, Json, Message, Tool } from './conversation.ts';
import type { Usage } from './scenario.ts';
import { freshId } from './wire.ts';
import type { Reply, Wire } from './wire.ts';

/** OpenAI Responses: Codex. */
export const responses: Wire = {
  isFor: (path) => path.endsWith('/responses'),
  read: (body) => requestOf(body, asList(body['tools']).flatMap(toolsOf), messagesOf(asList(body['input']))),
  answer,
};

function toolsOf(tool: Json): Tool[] {
  if (tool['type'] === 'function')
    return [{ name: asText(tool['name']), properties: propertiesOf(tool['parameters']) }];
  if (tool['type'] !== 'namespace') return [];
  return asList(tool['tools']).map((one) => ({
    name: asText(one['name']),
    properties: propertiesOf(one['parameters']),
    namespace: asText(tool['name']),
  }));
}

/** What one answer of the model held comes back as several items in a row: they count once. */
function messagesOf(items: readonly Json[]): Message[] {
  const messages: Message[] = [];
  let isInAnswer = false;
  for (const item of items) {
    const isModels = item['role'] === 'assistant' || /_call$|^reasoning$/.test(asText(item['type']));
    if (isModels && !isInAnswer) messages.push({ from: 'model', text: textOf(item['content']) });
    if (item['role'] === 'user') messages.push({ from: 'user', text: textOf(item['content']) });
    isInAnswer = isModels;
  }
  return messages;
}

function answer(to: Conversation, { text, call }: Answer, usage: Usage): Reply {
  const items: Json[] = [];
  const content = [{ type: 'output_text', text, annotations: [] }];
  if (text !== '') items.push({ id: freshId('msg'), type: 'message', status: 'completed', role: 'assistant', content });
  if (call !== null) {
    const { name, namespace } = call.tool;
    items.push({
      id: freshId('fc'),
      type: 'function_call',
      status: 'completed',
      call_id: freshId('call'),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: JSON.stringify(call.args),
    });
  }
  const base = { id: freshId('resp'), object: 'response', created_at: 0, model: to.model };
  const counted = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
  const whole = { ...base, status: 'completed', output: items, usage: counted };
  const events = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [], usage: null } },
    ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: 'response.completed', response: whole },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
  return { whole, events, isNamed: true };
}

function itemEvents(item: Json, output_index: number): (Json & { type: string })[] {
  const begun = {
    ...item,
    status: 'in_progress',
    ...(item['type'] === 'message' ? { content: [] } : { arguments: '' }),
  };
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    { type: 'response.output_item.done', output_index, item },
  ];
}

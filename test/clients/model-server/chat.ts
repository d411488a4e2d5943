import { asList, asObject, asText, messageOf, propertiesOf, requestOf } from './conversation.ts';
import type { Answer, Conversation } from './conversation.ts';
import type { Usage } from './scenario.ts';
import { freshId } from './wire.ts';
import type { Reply, Wire } from './wire.ts';

/** OpenAI chat completions: opencode, pi, Copilot, Qwen. */
export const chat: Wire = {
  isFor: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    const tools = asList(body['tools'])
      .map((tool) => asObject(tool['function']))
      .map((tool) => ({ name: asText(tool['name']), properties: propertiesOf(tool['parameters']) }));
    const spoken = asList(body['messages']).filter((one) => one['role'] === 'assistant' || one['role'] === 'user');
    return requestOf(body, tools, spoken.map(messageOf));
  },
  answer,
};

function answer(to: Conversation, { text, call }: Answer, usage: Usage): Reply {
  const counted = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
  const calls =
    call === null
      ? []
      : [
          {
            index: 0,
            id: freshId('call'),
            type: 'function',
            function: { name: call.tool.name, arguments: JSON.stringify(call.args) },
          },
        ];
  const finish_reason = call === null ? 'stop' : 'tool_calls';
  const base = { id: freshId('chat'), created: 0, model: to.model };
  const message = { role: 'assistant', content: text, ...(call === null ? {} : { tool_calls: calls }) };
  const chunk = (delta: unknown, reason: string | null) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return {
    whole: {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage: counted,
    },
    events: [
      chunk({ role: 'assistant', content: text }, null),
      ...(call === null ? [] : [chunk({ tool_calls: calls }, null)]),
      chunk({}, finish_reason),
      { ...base, object: 'chat.completion.chunk', choices: [], usage: counted },
      '[DONE]',
    ],
    isNamed: false,
  };
}

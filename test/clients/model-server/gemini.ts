import { asList, asObject, asText, propertiesOf, textOf } from './conversation.ts';
import type { Answer, Conversation, Json } from './conversation.ts';
import type { Usage } from './scenario.ts';
import { freshId } from './wire.ts';
import type { Reply, Wire } from './wire.ts';

/** Gemini generateContent. */
export const gemini: Wire = {
  isFor: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  read: (body, path) => {
    const tools = asList(body['tools'])
      .flatMap((tool) => asList(tool['functionDeclarations']))
      .map((tool) => ({
        name: asText(tool['name']),
        properties: propertiesOf(tool['parametersJsonSchema'] ?? tool['parameters']),
      }));
    const messages = asList(body['contents']).map((message) => ({
      from: message['role'] === 'model' ? ('model' as const) : ('user' as const),
      text: textOf(message['parts']),
    }));
    const config = asObject(body['generationConfig']);
    return {
      model: /models\/([^/:]+):/.exec(path)?.[1] ?? '',
      tools,
      messages,
      isStream: path.includes(':stream'),
      isSide: tools.length === 0 || 'responseJsonSchema' in config,
    };
  },
  answer,
};

function answer(to: Conversation, { text, call }: Answer, usage: Usage): Reply {
  const parts: Json[] = text === '' ? [] : [{ text }];
  if (call !== null) parts.push({ functionCall: { name: call.tool.name, args: call.args } });
  const whole = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      cachedContentTokenCount: usage.cacheRead,
    },
    modelVersion: to.model,
    responseId: freshId('r'),
  };
  return { whole, events: [whole], isNamed: false };
}

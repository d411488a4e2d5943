/** A tool as the client offers it to the model. */
export interface Tool {
  readonly name: string;
  readonly properties: Readonly<Record<string, { readonly type?: unknown }>>;
  /** Codex puts the tools of an MCP server into a namespace of their own. */
  readonly namespace?: string;
}

/** One thing said, in the order of the conversation. Results of tools are neither. */
export interface Message {
  readonly from: 'user' | 'model';
  readonly text: string;
}

/** A request to the model, whatever its protocol. */
export interface Conversation {
  readonly model: string;
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly isStream: boolean;
  /** Titles, summaries, classifications: nothing that belongs to the work. */
  readonly isSide: boolean;
}

export interface Call {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the model says, whatever the protocol. */
export interface Answer {
  readonly text: string;
  readonly call: Call | null;
}

const HEADING = /^# Task (\S+?): /m;

/** Where a conversation about a task is: answers given since the prompt, so steering and preambles do not count. */
export function placeOf(conversation: Conversation): { readonly task: string | null; readonly turn: number } {
  const { messages } = conversation;
  const start = messages.findLastIndex((message) => message.from === 'user' && HEADING.test(message.text));
  const task = HEADING.exec(messages[start]?.text ?? '')?.[1] ?? null;
  const turn = messages.slice(start + 1).filter((message) => message.from === 'model').length;
  return { task, turn };
}

/** Bodies of requests are what somebody else's program wrote: looked into, never trusted to be whole. */
export type Json = Readonly<Record<string, unknown>>;

export const asList = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** The text in a content that is a string or a list of parts. */
export const textOf = (content: unknown): string =>
  asText(content) ||
  asList(content)
    .map((part) => asText(part['text']))
    .join('\n');

export const propertiesOf = (schema: unknown): Tool['properties'] =>
  asObject(asObject(schema)['properties']) as Tool['properties'];

export const messageOf = (message: Json): Message => ({
  from: message['role'] === 'assistant' ? 'model' : 'user',
  text: textOf(message['content']),
});

/** A request of the protocols that ask for streaming by a field; without tools it is none of the work. */
export const requestOf = (body: Json, tools: readonly Tool[], messages: readonly Message[]): Conversation => ({
  model: asText(body['model']),
  tools,
  messages,
  isStream: body['stream'] === true,
  isSide: tools.length === 0,
});

import type { ServerResponse } from 'node:http';

import type { Answer, Conversation, Json } from './conversation.ts';
import type { Usage } from './scenario.ts';

/** One protocol models are spoken to with. */
export interface Wire {
  readonly isFor: (path: string) => boolean;
  readonly read: (body: Json, path: string) => Conversation;
  readonly answer: (to: Conversation, answer: Answer, usage: Usage) => Reply;
}

export interface Reply {
  /** The whole answer, for a client that does not stream. */
  readonly whole: Json;
  /** The same as a stream. */
  readonly events: readonly (Json | string)[];
  /** Whether each event is announced by its type. */
  readonly isNamed: boolean;
}

let made = 0;
/** An id nobody else has. */
export const freshId = (prefix: string): string => `${prefix}_${process.pid.toString(36)}${(made++).toString(36)}`;

export function send(res: ServerResponse, reply: Reply, isStream: boolean, headers: Readonly<Record<string, string>>) {
  if (!isStream) {
    res.writeHead(200, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify(reply.whole));
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  for (const event of reply.events) {
    const name = reply.isNamed && typeof event !== 'string' ? `event: ${String(event['type'])}\n` : '';
    res.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  res.end();
}

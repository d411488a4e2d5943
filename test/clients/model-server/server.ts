import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenOptions } from 'node:net';
import { text as textIn } from 'node:stream/consumers';

import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { asObject, placeOf } from './conversation.ts';
import type { Conversation, Json } from './conversation.ts';
import { gemini } from './gemini.ts';
import { director } from './director.ts';
import type { Director } from './director.ts';
import { responses } from './responses.ts';
import type { Scenario } from './scenario.ts';
import { send } from './wire.ts';

/** One request to the model that belongs to the work. */
export interface Asked {
  readonly task: string;
  /** Answers of the model before it in the same conversation. */
  readonly turn: number;
  readonly atMs: number;
  readonly conversation: Conversation;
  /** The request as it came, for looking into. */
  readonly raw: string;
  status: number | null;
}

export interface ModelServer {
  /** 0 where it listens on a socket file. */
  readonly port: number;
  /** Requests so far, side requests left out. */
  readonly asked: (task?: string) => readonly Asked[];
  /** Lets every turn with this `after` go on, now and later. */
  readonly release: (name: string) => void;
  readonly close: () => Promise<void>;
}

const WIRES = [anthropic, responses, chat, gemini];
const MODELS = {
  object: 'list',
  data: [{ id: 'scripted', object: 'model', type: 'model' }],
  has_more: false,
  models: [],
};

/** A model that follows a scenario: what it says depends on the conversation it is sent, so any number of clients may ask. */
export async function modelServer(scenario: Scenario, listen: ListenOptions): Promise<ModelServer> {
  const asked: Asked[] = [];
  const directed = director(scenario);
  const server = createServer((req, res) => void serve(req, res, directed, asked));
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(listen, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked: (task) => asked.filter((one) => task === undefined || one.task === task),
    release: directed.release,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(req: IncomingMessage, res: ServerResponse, directed: Director, asked: Asked[]): Promise<void> {
  const path = (req.url ?? '').replace(/\?.*/, '');
  const wire = WIRES.find((one) => one.isFor(path));
  if (wire === undefined || req.method !== 'POST') return plain(res, path);
  const raw = await textIn(req).catch(() => '');
  const conversation = wire.read(parsed(raw), path);
  const { task, turn } = placeOf(conversation);
  const one = { task: task ?? '', turn, atMs: Date.now(), conversation, raw, status: null as number | null };
  if (!conversation.isSide) asked.push(one);
  const said = await directed.next(conversation, raw);
  if (said === null || res.destroyed) return;
  one.status = 'refusal' in said ? said.refusal.status : 200;
  if ('refusal' in said) {
    res.writeHead(said.refusal.status, { 'content-type': 'application/json', ...said.refusal.headers?.() });
    res.end(JSON.stringify(said.refusal.body));
    return;
  }
  send(res, wire.answer(conversation, said.answer, said.usage), conversation.isStream, said.headers);
}

function plain(res: ServerResponse, path: string): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  if (/count_?tokens$/i.test(path)) res.end(JSON.stringify({ input_tokens: 100, totalTokens: 100 }));
  else res.end(JSON.stringify(path.endsWith('/models') ? MODELS : {}));
}

function parsed(raw: string): Json {
  try {
    return asObject(JSON.parse(raw));
  } catch {
    return {};
  }
}

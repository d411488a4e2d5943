import { objectAt, parseBag, textAt } from '../readers/json.ts';
import type { Bag } from '../readers/json.ts';

/** What a line of JSON-RPC is to us. */
export type Heard = RpcRequest | RpcNotice | RpcAnswer;

interface RpcRequest {
  readonly type: 'request';
  readonly id: string | number;
  readonly method: string;
  readonly params: Bag;
}

export interface RpcNotice {
  readonly type: 'notice';
  readonly method: string;
  readonly params: Bag;
}

export interface RpcAnswer {
  readonly type: 'answer';
  readonly id: number;
  readonly result: Bag;
  /** Null: it went well. */
  readonly error: string | null;
}

/** Null: nothing of the protocol. */
export function hear(line: string): Heard | null {
  const said = parseBag(line);
  if (said === null) return null;
  const method = textAt(said, 'method');
  const id = said['id'];
  const params = objectAt(said, 'params');
  if (method !== null)
    return typeof id === 'string' || typeof id === 'number'
      ? { type: 'request', id, method, params }
      : { type: 'notice', method, params };
  if (typeof id !== 'number') return null;
  const isError = said['error'] !== undefined && said['error'] !== null;
  const error = isError ? (textAt(objectAt(said, 'error'), 'message') ?? 'no reason given') : null;
  return { type: 'answer', id, result: objectAt(said, 'result'), error };
}

const METHOD_NOT_FOUND = -32_601;

/** Our side of JSON-RPC: writes the lines and remembers what each question was asked for. */
export interface RpcSide<Purpose> {
  ask(purpose: Purpose, method: string, params: object): string;
  notice(method: string, params?: object): string;
  answer(id: string | number, result: object): string;
  refuse(id: string | number, method: string): string;
  /** What this answers, told once; undefined: nothing we asked. */
  purposeOf(answer: RpcAnswer): Purpose | undefined;
  /** What is not answered yet. */
  asked(): readonly Purpose[];
}

/** Codex leaves out the version of the protocol, ACP wants it. */
export function openRpc<Purpose>(version: '2.0' | null): RpcSide<Purpose> {
  const pending = new Map<number, Purpose>();
  let lastId = 0;
  const head = version === null ? {} : { jsonrpc: version };
  const write = (message: object): string => JSON.stringify({ ...head, ...message });
  return {
    ask: (purpose, method, params) => {
      lastId += 1;
      pending.set(lastId, purpose);
      return write({ id: lastId, method, params });
    },
    notice: (method, params) => write(params === undefined ? { method } : { method, params }),
    answer: (id, result) => write({ id, result }),
    refuse: (id, method) => write({ id, error: { code: METHOD_NOT_FOUND, message: `not offered: ${method}` } }),
    purposeOf: ({ id }) => {
      const purpose = pending.get(id);
      pending.delete(id);
      return purpose;
    },
    asked: () => [...pending.values()],
  };
}

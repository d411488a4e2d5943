import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** What a line that is no message is answered with: whoever sent it waits. Null: it is one, or nobody waits. */
export function refusalOf(line: string): Refusal | null {
  if (line.trim() === '') return null;
  let sent: unknown;
  try {
    sent = JSON.parse(line);
  } catch {
    return refuse(null, ErrorCode.ParseError, 'this is not JSON');
  }
  if (JSONRPCMessageSchema.safeParse(sent).success) return null;
  const message = (typeof sent === 'object' && sent !== null ? sent : {}) as Record<string, unknown>;
  if (isOneWay(message)) return null;
  const { id, method, jsonrpc } = message;
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
  return jsonrpc === '2.0' && known !== null && typeof method === 'string'
    ? refuse(known, ErrorCode.InvalidParams, 'params is no object')
    : refuse(known, ErrorCode.InvalidRequest, 'this is no message of JSON-RPC 2.0');
}

/** A notification, or an answer: by JSON-RPC nobody answers those, however wrong they are. */
const isOneWay = (message: Readonly<Record<string, unknown>>): boolean =>
  message['jsonrpc'] === '2.0' &&
  ('method' in message ? !('id' in message) : 'result' in message || 'error' in message);

const refuse = (id: Refusal['id'], code: number, message: string): Refusal => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

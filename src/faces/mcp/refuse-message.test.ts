import { describe, expect, it } from 'vitest';
import { refusalOf } from './refuse-message.ts';

describe('refusalOf', () => {
  it.each([
    ['not json', null, -32700],
    ['{"jsonrpc":"2.0","id":"x","method":"tools/call","params":null}', 'x', -32602],
    ['{"id":7,"method":"tools/list"}', 7, -32600],
    ['[]', null, -32600],
    ['null', null, -32600],
  ])('%s', (line, id, code) => {
    expect(refusalOf(line)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });

  it.each([
    '',
    ' ',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","method":"notifications/x"}',
    '{"jsonrpc":"2.0","method":"notifications/x","params":null}',
    '{"jsonrpc":"2.0","id":1,"result":null}',
  ])('leaves %j alone', (line) => {
    expect(refusalOf(line)).toBeNull();
  });
});

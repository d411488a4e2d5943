import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTalk } from './talk.ts';
import type { TalkSpec } from './talk-spec.ts';
import type { Talk } from './talk.ts';

const ACP: TalkSpec = { kind: 'acp', argv: ['a'], cwd: '/w', model: null, mcp: null };
const CODEX: TalkSpec = {
  kind: 'codex-app-server',
  argv: ['c'],
  cwd: '/w',
  model: null,
  sandbox: 'workspace',
};
const CLAUDE: TalkSpec = { kind: 'claude-stdio', argv: ['c'], cwd: '/w' };

const said = (lines: readonly string[] | null): unknown => lines?.map((line) => JSON.parse(line) as unknown);
/** What it answers to a line, without the note. */
const take = (talk: Talk, line: object): unknown[] => {
  const { send, state } = talk.take(JSON.stringify(line));
  return [state, ...send.map((one) => JSON.parse(one) as unknown)];
};
const rpc = (message: object): object => ({ jsonrpc: '2.0', ...message });

/** An ACP conversation up to the running prompt, which has id 3. */
function acpAtWork(spec: TalkSpec = ACP): Talk {
  const talk = openTalk(spec, 'do it');
  talk.begin();
  talk.take('{"id":1,"result":{}}');
  talk.take('{"id":2,"result":{"sessionId":"s"}}');
  return talk;
}

describe('ACP', () => {
  it('opens a session with our server, in the open mode it offers, with the model, then prompts', () => {
    const mcp = { command: ['node', 'x.js', 'mcp'], env: { T: '1' } };
    const talk = openTalk({ ...ACP, model: 'big', mcp }, 'do it');
    expect(said(talk.begin())).toMatchObject([
      {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: 1,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        },
      },
    ]);
    const servers = [{ name: 'ralph', command: 'node', args: ['x.js', 'mcp'], env: [{ name: 'T', value: '1' }] }];
    expect(take(talk, { id: 1, result: { protocolVersion: 1 } })).toEqual([
      'going',
      rpc({ id: 2, method: 'session/new', params: { cwd: '/w', mcpServers: servers } }),
    ]);
    const modes = { availableModes: [{ id: 'default' }, { id: 'yolo' }], currentModeId: 'default' };
    expect(take(talk, { id: 2, result: { sessionId: 's', modes } })).toEqual([
      'going',
      rpc({ id: 3, method: 'session/set_mode', params: { sessionId: 's', modeId: 'yolo' } }),
      rpc({ id: 4, method: 'session/set_model', params: { sessionId: 's', modelId: 'big' } }),
    ]);
    expect(take(talk, { id: 3, error: { code: 1, message: 'no' } })).toEqual(['going']);
    const prompt = [{ type: 'text', text: 'do it' }];
    expect(take(talk, { id: 4, result: {} })).toEqual([
      'going',
      rpc({ id: 5, method: 'session/prompt', params: { sessionId: 's', prompt } }),
    ]);
    expect(take(talk, { id: 5, result: { stopReason: 'end_turn' } })).toEqual(['turn-ended']);
  });

  it('changes nothing where the mode is open already, or none is offered', () => {
    const talk = openTalk(ACP, 'do it');
    talk.begin();
    take(talk, { id: 1, result: {} });
    const modes = { availableModes: [{ id: 'full-access' }], currentModeId: 'full-access' };
    expect(take(talk, { id: 2, result: { sessionId: 's', modes } })).toMatchObject([
      'going',
      { method: 'session/prompt' },
    ]);
  });

  it.each([
    [[{ kind: 'reject_once' }, { kind: 'allow_once', optionId: 'o' }], { outcome: 'selected', optionId: 'o' }],
    [
      [
        { kind: 'allow_once', optionId: 'o' },
        { kind: 'allow_always', optionId: 'a' },
      ],
      { outcome: 'selected', optionId: 'a' },
    ],
    [[{ kind: 'reject_once', optionId: 'r' }], { outcome: 'cancelled' }],
  ])('gives leave by %j', (options, outcome) => {
    const question = { id: 'q', method: 'session/request_permission', params: { options } };
    expect(take(acpAtWork(), question)).toEqual(['going', rpc({ id: 'q', result: { outcome } })]);
  });

  it('refuses what it does not offer, so that the agent does not wait', () => {
    expect(take(acpAtWork(), { id: 0, method: 'fs/read_text_file', params: {} })).toMatchObject([
      'going',
      { id: 0, error: { code: -32_601 } },
    ]);
  });

  it('hands guidance on when the turn has ended, and not before', () => {
    const talk = acpAtWork();
    expect(talk.steer('left')).toBeNull();
    expect(take(talk, { id: 3, result: { stopReason: 'end_turn' } })).toEqual(['turn-ended']);
    expect(said(talk.steer('left'))).toMatchObject([
      { id: 4, method: 'session/prompt', params: { prompt: [{ type: 'text', text: 'left' }] } },
    ]);
    expect(talk.steer('right')).toBeNull();
    expect(take(talk, { id: 4, result: { stopReason: 'end_turn' } })).toEqual(['turn-ended']);
  });

  it('cancels a turn, which then is no turn that ended in order', () => {
    const talk = acpAtWork();
    expect(said(talk.interrupt())).toEqual([rpc({ method: 'session/cancel', params: { sessionId: 's' } })]);
    expect(take(talk, { id: 3, result: { stopReason: 'cancelled' } })).toEqual(['failed']);
    expect(talk.steer('left')).toBeNull();
    expect(talk.interrupt()).toEqual([]);
  });

  it.each([1, 2, 3])('fails where step %i is refused, and says why', (id) => {
    const talk = openTalk(ACP, 'do it');
    talk.begin();
    for (let before = 1; before < id; before += 1) take(talk, { id: before, result: { sessionId: 's' } });
    const step = talk.take(JSON.stringify({ id, error: { code: -32_000, message: 'log in first' } }));
    expect(step).toMatchObject({ state: 'failed', note: expect.stringContaining('log in first') });
  });
});

/** A codex conversation up to the running turn. */
function codexAtWork(): Talk {
  const talk = openTalk(CODEX, 'do it');
  talk.begin();
  take(talk, { id: 1, result: {} });
  take(talk, { id: 2, result: { thread: { id: 't' } } });
  take(talk, { id: 3, result: { turn: { id: 'u' } } });
  take(talk, { method: 'turn/started', params: { threadId: 't', turn: { id: 'u' } } });
  return talk;
}
const completed = (status: string, threadId = 't'): object => ({
  method: 'turn/completed',
  params: { threadId, turn: { id: 'u', status } },
});

describe('codex app-server', () => {
  it('starts a thread in its sandbox and a turn', () => {
    const talk = openTalk({ ...CODEX, model: 'm"', sandbox: 'none' }, 'do it');
    expect(said(talk.begin())).toMatchObject([{ id: 1, method: 'initialize' }]);
    expect(take(talk, { id: 1, result: {} })).toEqual([
      'going',
      { method: 'initialized' },
      {
        id: 2,
        method: 'thread/start',
        params: { cwd: '/w', approvalPolicy: 'never', sandbox: 'danger-full-access', model: 'm"' },
      },
    ]);
    const input = [{ type: 'text', text: 'do it' }];
    expect(take(talk, { id: 2, result: { thread: { id: 't' } } })).toEqual([
      'going',
      { id: 3, method: 'turn/start', params: { threadId: 't', input } },
    ]);
    expect(take(talk, completed('completed', 'of a helper'))).toEqual(['going']);
    expect(take(talk, completed('completed'))).toEqual(['turn-ended']);
  });

  it('steers the running turn', () => {
    const talk = codexAtWork();
    expect(said(talk.steer('left'))).toEqual([
      {
        id: 4,
        method: 'turn/steer',
        params: { threadId: 't', input: [{ type: 'text', text: 'left' }], expectedTurnId: 'u' },
      },
    ]);
    expect(take(talk, { id: 4, result: { turnId: 'u' } })).toEqual(['going']);
    expect(take(talk, completed('completed'))).toEqual(['turn-ended']);
  });

  it('begins the next turn with guidance that came too late', () => {
    const talk = codexAtWork();
    talk.steer('left');
    talk.steer('and up');
    expect(take(talk, completed('completed'))).toEqual(['going']);
    expect(take(talk, { id: 4, error: { code: -32_600, message: 'no active turn' } })).toEqual(['going']);
    expect(take(talk, { id: 5, error: { code: -32_600, message: 'no active turn' } })).toMatchObject([
      'going',
      { id: 6, method: 'turn/start', params: { input: [{ type: 'text', text: 'left\n\nand up' }] } },
    ]);
    expect(talk.steer('too early')).toBeNull();
    expect(take(talk, completed('completed'))).toEqual(['turn-ended']);
  });

  it('interrupts the running turn', () => {
    const talk = codexAtWork();
    expect(said(talk.interrupt())).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 't', turnId: 'u' } },
    ]);
    expect(take(talk, completed('interrupted'))).toEqual(['failed']);
  });

  it.each([
    ['none', 'item/commandExecution/requestApproval', { decision: 'accept' }],
    ['workspace', 'item/commandExecution/requestApproval', { decision: 'decline' }],
    ['none', 'item/fileChange/requestApproval', { decision: 'accept' }],
    ['none', 'execCommandApproval', { decision: 'approved' }],
    ['workspace', 'applyPatchApproval', { decision: 'denied' }],
    ['none', 'item/permissions/requestApproval', { permissions: { network: {} }, scope: 'turn' }],
    ['workspace', 'item/permissions/requestApproval', { permissions: {}, scope: 'turn' }],
    ['workspace', 'mcpServer/elicitation/request', { action: 'accept', content: {}, _meta: null }],
  ] as const)('with sandbox %s answers %s', (sandbox, method, result) => {
    const talk = openTalk({ ...CODEX, sandbox }, 'do it');
    expect(take(talk, { id: 9, method, params: { permissions: { network: {} } } })).toEqual([
      'going',
      { id: 9, result },
    ]);
  });

  it('refuses what nobody is there to answer', () =>
    expect(take(codexAtWork(), { id: 9, method: 'item/tool/requestUserInput', params: {} })).toMatchObject([
      'going',
      { id: 9, error: { code: -32_601 } },
    ]));
});

describe('claude over stdio', () => {
  const ok = { type: 'result', subtype: 'success', is_error: false };

  it('introduces itself and prompts at once, and is at rest after a result', () => {
    const talk = openTalk(CLAUDE, 'do it');
    expect(said(talk.begin())).toMatchObject([
      { type: 'control_request', request: { subtype: 'initialize' } },
      { type: 'user', message: { role: 'user', content: 'do it' } },
    ]);
    expect(take(talk, ok)).toEqual(['turn-ended']);
  });

  it('allows a tool with the input it was asked for', () => {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } };
    expect(take(openTalk(CLAUDE, ''), { type: 'control_request', request_id: 'r', request })).toEqual([
      'going',
      {
        type: 'control_response',
        response: {
          subtype: 'success',
          request_id: 'r',
          response: { behavior: 'allow', updatedInput: { command: 'ls' } },
        },
      },
    ]);
  });

  it('steers at once, also between turns', () => {
    const talk = openTalk(CLAUDE, 'do it');
    expect(said(talk.steer('left'))).toMatchObject([{ type: 'user', message: { content: 'left' } }]);
    take(talk, ok);
    expect(said(talk.steer('right'))).toMatchObject([{ type: 'user', message: { content: 'right' } }]);
    expect(take(talk, { type: 'assistant' })).toEqual(['going']);
  });

  it('goes on when a background task wakes it', () => {
    const talk = openTalk(CLAUDE, 'do it');
    take(talk, ok);
    expect(take(talk, { type: 'system', subtype: 'init' })).toEqual(['going']);
    expect(take(talk, ok)).toEqual(['turn-ended']);
  });

  it.each([
    { ...ok, is_error: true },
    { type: 'result', subtype: 'error_max_turns' },
  ])('takes no error for an end in order: %j', (result) =>
    expect(take(openTalk(CLAUDE, ''), result)).toEqual(['failed']),
  );

  it('interrupts; the result of that is none', () => {
    const talk = openTalk(CLAUDE, 'do it');
    expect(said(talk.interrupt())).toMatchObject([{ type: 'control_request', request: { subtype: 'interrupt' } }]);
    expect(take(talk, ok)).toEqual(['failed']);
  });
});

describe('any conversation', () => {
  const words = fc.constantFrom('id', 'method', 'params', 'result', 'error', 'type', 'request', 'sessionId', 'modes');
  const values = fc.constantFrom<unknown>(1, 2, 3, null, 'result', 'session/request_permission', 'control_request', {});
  const message = fc.dictionary(words, fc.oneof(values, fc.jsonValue(), fc.array(fc.jsonValue())));
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    message.map((value) => JSON.stringify(value)),
    fc.constantFrom('', '{', 'null', '[]', '{"id":1}', '{"id":2,"result":{"sessionId":"s"}}'),
  );

  it.each([ACP, CODEX, CLAUDE])('of $kind never throws, and sends whole lines', (spec) => {
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const talk = openTalk(spec, 'do it\nnow');
        const sent = [...talk.begin()];
        for (const one of lines) sent.push(...talk.take(one).send, ...(talk.steer('x') ?? []), ...talk.interrupt());
        expect(sent.filter((one) => one.includes('\n'))).toEqual([]);
      }),
    );
  });
});

import { objectAt, textAt } from '../readers/json.ts';
import type { Bag } from '../readers/json.ts';
import { hear, openRpc } from './rpc.ts';
import type { RpcAnswer, RpcNotice, RpcSide } from './rpc.ts';
import type { CodexServerSpec } from './talk-spec.ts';
import { openProgress } from './talk-types.ts';
import type { Progress, Talk, TalkStep } from './talk-types.ts';

const OURSELVES = { name: 'paralph', title: null, version: '1' };

type Purpose =
  | { readonly type: 'initialize' | 'thread' | 'turn' | 'interrupt' }
  /** Guidance for the running turn; the text is kept until the server took it. */
  | { readonly type: 'steer'; readonly text: string };

/** Where the conversation is. */
interface Place {
  readonly spec: CodexServerSpec;
  readonly rpc: RpcSide<Purpose>;
  readonly progress: Progress;
  thread: string | null;
  /** From the request for it to its end. */
  isTurning: boolean;
  /** Known from the moment the server began it. */
  turn: string | null;
  /** Guidance that came too late for its turn: it begins the next one. */
  late: readonly string[];
}

/** Codex as a server: JSON-RPC without a version. Guidance reaches a running turn. */
export function openCodexServer(spec: CodexServerSpec, prompt: string): Talk {
  const progress = openProgress();
  const at: Place = { spec, rpc: openRpc(null), progress, thread: null, isTurning: false, turn: null, late: [prompt] };
  return {
    begin: () => [at.rpc.ask({ type: 'initialize' }, 'initialize', { clientInfo: OURSELVES })],
    take: (line) => {
      const heard = hear(line);
      if (heard === null || progress.state === 'failed') return progress.step();
      if (heard.type === 'answer') return onAnswer(at, heard);
      if (heard.type === 'notice') return onNotice(at, heard);
      const leave = leaveFor(heard.method, heard.params, spec.sandbox);
      return progress.step([leave === null ? at.rpc.refuse(heard.id, heard.method) : at.rpc.answer(heard.id, leave)]);
    },
    steer: (text) => {
      if (progress.state === 'turn-ended') return startTurn(at, text);
      if (progress.state === 'failed' || at.turn === null) return null;
      const params = { ...input(at, text), expectedTurnId: at.turn };
      return [at.rpc.ask({ type: 'steer', text }, 'turn/steer', params)];
    },
    interrupt: () => {
      if (at.turn === null) return [];
      return [at.rpc.ask({ type: 'interrupt' }, 'turn/interrupt', { threadId: at.thread, turnId: at.turn })];
    },
  };
}

const input = (at: Place, text: string): object => ({ threadId: at.thread, input: [{ type: 'text', text }] });

function startTurn(at: Place, text: string): readonly string[] {
  at.progress.state = 'going';
  at.isTurning = true;
  return [at.rpc.ask({ type: 'turn' }, 'turn/start', input(at, text))];
}

/** Between turns: goes on with what waits, or is at rest. */
function settle(at: Place): TalkStep {
  const { progress } = at;
  if (at.isTurning || at.rpc.asked().some(({ type }) => type === 'steer')) return progress.step();
  if (at.late.length > 0) {
    const text = at.late.join('\n\n');
    at.late = [];
    return progress.step(startTurn(at, text));
  }
  progress.state = 'turn-ended';
  return progress.step();
}

function onAnswer(at: Place, answer: RpcAnswer): TalkStep {
  const { rpc, progress } = at;
  const { result, error } = answer;
  const purpose = rpc.purposeOf(answer);
  switch (purpose?.type) {
    case undefined:
    case 'interrupt':
      return progress.step();
    case 'steer':
      if (error !== null) at.late = [...at.late, purpose.text];
      return settle(at);
    case 'initialize':
      if (error !== null) return progress.fail(`initialize: ${error}`);
      return progress.step([
        rpc.notice('initialized'),
        rpc.ask({ type: 'thread' }, 'thread/start', threadParams(at.spec)),
      ]);
    case 'thread':
      at.thread = textAt(objectAt(result, 'thread'), 'id');
      return at.thread === null ? progress.fail(`thread/start: ${error ?? 'no thread'}`) : settle(at);
    case 'turn':
      return error === null ? progress.step() : progress.fail(`turn/start: ${error}`);
  }
}

function onNotice(at: Place, { method, params }: RpcNotice): TalkStep {
  // The server tells of other threads too, such as those of helpers it started.
  if (at.thread === null || textAt(params, 'threadId') !== at.thread) return at.progress.step();
  const about = objectAt(params, 'turn');
  if (method === 'turn/started') at.turn = textAt(about, 'id');
  if (method !== 'turn/completed') return at.progress.step();
  at.isTurning = false;
  at.turn = null;
  const status = textAt(about, 'status');
  return status === 'completed' ? settle(at) : at.progress.fail(`the turn ended as ${status ?? 'unknown'}`);
}

const threadParams = ({ cwd, model, sandbox }: CodexServerSpec): object => ({
  cwd,
  approvalPolicy: 'never',
  sandbox: sandbox === 'none' ? 'danger-full-access' : 'workspace-write',
  ...(model === null ? {} : { model }),
});

/**
 * What we answer when it asks for leave, which it does only if the user's own configuration makes it. To allow a command
 * means to run it outside the sandbox: who asked for a sandbox gets a no. Null: nothing we could answer.
 */
function leaveFor(method: string, params: Bag, sandbox: 'workspace' | 'none'): object | null {
  const isOpen = sandbox === 'none';
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: isOpen ? 'accept' : 'decline' };
    case 'execCommandApproval':
    case 'applyPatchApproval':
      return { decision: isOpen ? 'approved' : 'denied' };
    case 'item/permissions/requestApproval':
      return { permissions: isOpen ? objectAt(params, 'permissions') : {}, scope: 'turn' };
    case 'mcpServer/elicitation/request':
      return { action: 'accept', content: {}, _meta: null };
    default:
      return null;
  }
}

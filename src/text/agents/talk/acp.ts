import { objectAt, objectsAt, textAt } from '../readers/json.ts';
import type { Bag } from '../readers/json.ts';
import { hear, openRpc } from './rpc.ts';
import type { RpcAnswer } from './rpc.ts';
import { MCP_NAME } from './talk-spec.ts';
import type { AcpSpec, McpServer } from './talk-spec.ts';
import { openProgress } from './talk-types.ts';
import type { Talk, TalkStep } from './talk-types.ts';

/** We lend it neither files nor terminals: it works in the worktree by itself. */
const INTRODUCTION = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: 'paralph', version: '1' },
};
/** Modes in which nothing is asked, as the agents call them. */
const OPEN_MODES = ['yolo', 'bypassPermissions', 'full-access'];
const WELCOME_OPTIONS = ['allow_always', 'allow_once'];

type Purpose = 'initialize' | 'new' | 'mode' | 'model' | 'prompt';

/** The Agent Client Protocol. It knows no message during a turn: guidance begins the next one. */
export function openAcp(spec: AcpSpec, prompt: string): Talk {
  const rpc = openRpc<Purpose>('2.0');
  const progress = openProgress();
  const { step, fail } = progress;
  let session: string | null = null;

  const sendPrompt = (text: string): readonly string[] => {
    progress.state = 'going';
    return [rpc.ask('prompt', 'session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] })];
  };
  /** The prompt waits for the answers to what is set before it. */
  const promptIfReady = (note: string | null = null): TalkStep =>
    step(rpc.asked().length === 0 ? sendPrompt(prompt) : [], note);

  const onNewSession = (result: Bag): TalkStep => {
    session = textAt(result, 'sessionId');
    if (session === null) return fail('the agent opened no session');
    const sets: string[] = [];
    const modeId = openMode(result);
    if (modeId !== null) sets.push(rpc.ask('mode', 'session/set_mode', { sessionId: session, modeId }));
    const modelId = spec.model;
    if (modelId !== null) sets.push(rpc.ask('model', 'session/set_model', { sessionId: session, modelId }));
    return sets.length === 0 ? promptIfReady() : step(sets);
  };

  const onAnswer = (answer: RpcAnswer): TalkStep => {
    const purpose = rpc.purposeOf(answer);
    if (purpose === undefined) return step();
    // What may be asked is answered anyway: an agent that keeps its mode still works.
    if (purpose === 'mode') return promptIfReady(answer.error === null ? null : `session/set_mode: ${answer.error}`);
    if (answer.error !== null) return fail(`${purpose}: ${answer.error}`);
    switch (purpose) {
      case 'initialize':
        return step([rpc.ask('new', 'session/new', { cwd: spec.cwd, mcpServers: servers(spec.mcp) })]);
      case 'new':
        return onNewSession(answer.result);
      case 'model':
        return promptIfReady();
      case 'prompt': {
        const reason = textAt(answer.result, 'stopReason');
        if (reason !== 'end_turn') return fail(`the turn ended with ${reason ?? 'no reason'}`);
        progress.state = 'turn-ended';
        return step();
      }
    }
  };

  return {
    begin: () => [rpc.ask('initialize', 'initialize', INTRODUCTION)],
    take: (line) => {
      const heard = hear(line);
      if (progress.state === 'failed') return step();
      if (heard?.type === 'answer') return onAnswer(heard);
      if (heard?.type !== 'request') return step();
      if (heard.method !== 'session/request_permission') return step([rpc.refuse(heard.id, heard.method)]);
      return step([rpc.answer(heard.id, { outcome: allowed(heard.params) })]);
    },
    steer: (text) => (progress.state === 'turn-ended' ? sendPrompt(text) : null),
    interrupt: () =>
      progress.state === 'going' && session !== null ? [rpc.notice('session/cancel', { sessionId: session })] : [],
  };
}

function openMode(session: Bag): string | null {
  const modes = objectAt(session, 'modes');
  const offered = objectsAt(modes, 'availableModes').map((mode) => textAt(mode, 'id'));
  const wanted = OPEN_MODES.find((mode) => offered.includes(mode)) ?? null;
  return wanted === textAt(modes, 'currentModeId') ? null : wanted;
}

function allowed(params: Bag): object {
  const options = objectsAt(params, 'options');
  const chosen = WELCOME_OPTIONS.map((kind) => options.find((option) => option['kind'] === kind)).find(
    (option) => option !== undefined,
  );
  const optionId = chosen === undefined ? null : textAt(chosen, 'optionId');
  return optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
}

function servers(mcp: McpServer | null): readonly object[] {
  if (mcp === null) return [];
  const [command, ...args] = mcp.command;
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }));
  return [{ name: MCP_NAME, command, args, env }];
}

import type { Protocol } from '../agent-event.ts';
import { at, type Bag, textAt } from './json.ts';

const TYPES: Readonly<Record<string, Protocol>> = {
  rate_limit_event: 'claude',
  'thread.started': 'codex',
  'turn.started': 'codex',
  init: 'gemini',
  step_start: 'opencode',
  agent_start: 'pi',
  session: 'pi',
  hook_event: 'cline',
  agent_event: 'cline',
  run_result: 'cline',
};
const COPILOT_TYPE = /^(?:session|user|assistant|model|tool)\./;
const APP_SERVER_METHOD = /^(?:thread|turn|item|account)\/|^configWarning$/;

/** Whose line this is; null: nobody's we know. */
export function sniff(bag: Bag): Exclude<Protocol, 'jsonl' | 'text'> | null {
  if (at(bag, 'jsonrpc') === '2.0') return 'acp';
  if (APP_SERVER_METHOD.test(textAt(bag, 'method') ?? '') || textAt(bag, 'result', 'codexHome') !== null)
    return 'codex-app-server';
  const type = textAt(bag, 'type') ?? '';
  if (type === 'system' && textAt(bag, 'subtype') === 'init')
    return textAt(bag, 'qwen_code_version') === null ? 'claude' : 'qwen';
  if (COPILOT_TYPE.test(type)) return 'copilot';
  if (textAt(bag, 'sessionID') !== null) return 'opencode';
  if (Object.hasOwn(TYPES, type)) return TYPES[type] as Exclude<Protocol, 'jsonl' | 'text'>;
  return type === '' && textAt(bag, 'response') !== null && textAt(bag, 'status') !== null ? 'continue' : null;
}

import type { Protocol } from '../agent-event.ts';
import { at, type Bag, textAt } from './json.ts';

type Known = Exclude<Protocol, 'jsonl' | 'text'>;

const TYPES: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['rate_limit_event', 'claude'],
  ['thread.started', 'codex'],
  ['turn.started', 'codex'],
  ['agent_start', 'pi'],
  ['session', 'pi'],
]);
const APP_SERVER_METHOD = /^(?:thread|turn|item|account)\/|^configWarning$/;

/** Whose line this is; null: nobody's we know. */
export function sniff(bag: Bag): Known | null {
  if (at(bag, 'jsonrpc') === '2.0') return 'acp';
  if (APP_SERVER_METHOD.test(textAt(bag, 'method') ?? '') || textAt(bag, 'result', 'codexHome') !== null)
    return 'codex-app-server';
  const type = textAt(bag, 'type') ?? '';
  if (type === 'system' && textAt(bag, 'subtype') === 'init') return 'claude';
  return TYPES.get(type) ?? null;
}

import type { TaskStatus } from '../../core/model/task.ts';
import type { Entry, Table } from './value.ts';

/** Fields of a JSON or YAML task that say whether it is done. A task may have several. */
export const DONE_FLAGS: readonly string[] = ['passes', 'completed', 'done'];
export const STATUS_KEY = 'status';
export const BLOCKED_FLAG = 'blocked';
export const BLOCKED_REASON_KEYS = ['blocked_reason', 'blockedReason'] as const;

const STATUS_WORDS = new Map<string, TaskStatus>([
  ['open', 'open'],
  ['todo', 'open'],
  ['pending', 'open'],
  ['ready', 'open'],
  ['not_started', 'open'],
  ['in_progress', 'doing'],
  ['doing', 'doing'],
  ['done', 'done'],
  ['complete', 'done'],
  ['completed', 'done'],
  ['passed', 'done'],
  ['closed', 'done'],
  ['blocked', 'blocked'],
  ['stuck', 'blocked'],
]);
export const STATUS_FORMS = [...STATUS_WORDS.keys()].join(', ');

const YES = new Set(['true', 'yes', 'on']);
const NO = new Set(['false', 'no', 'off']);

export function parseStatus(text: string): TaskStatus | null {
  return STATUS_WORDS.get(text.trim().toLowerCase().replaceAll(/[ -]/g, '_')) ?? null;
}

export function parseFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : null;
}

export interface DoneField {
  readonly entry: Entry;
  readonly kind: 'flag' | 'status';
}

/** The fields that still deny that a task is done: those a tick must change. */
export function undoneFields(table: Table): DoneField[] {
  const fields: DoneField[] = [];
  for (const [name, entry] of table.entries) {
    const isFlag = DONE_FLAGS.includes(name);
    if (entry.value.kind !== 'scalar' || !(isFlag || name === STATUS_KEY)) continue;
    const text = entry.value.text ?? '';
    if (isFlag ? parseFlag(text) !== true : parseStatus(text) !== 'done') {
      fields.push({ entry, kind: isFlag ? 'flag' : 'status' });
    }
  }
  return fields;
}

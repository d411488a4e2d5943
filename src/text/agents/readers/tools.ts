import type { AgentEvent } from '../agent-event.ts';
import { at, bagOf } from './json.ts';

type ToolState = Extract<AgentEvent, { type: 'tool' }>['state'];

const DETAIL_CHARS_MAX = 200;
const NAME_CHARS_MAX = 80;
/** An agent that never ends its calls must not fill our memory. */
const OPEN_CALLS_MAX = 1000;
/** What says most about a call, in this order. */
const TELLING = [
  'command',
  'cmd',
  'commands',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'prompt',
  'task',
  'description',
];

export function oneLine(text: string, most: number = DETAIL_CHARS_MAX): string {
  // Cut first: a megabyte of output is not worth a pass of the pattern.
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The command, the file or the question in a call's input, as one line. */
export function detailOf(input: unknown): string {
  if (typeof input === 'string') return oneLine(input);
  const bag = bagOf(input);
  if (bag === null) return '';
  for (const key of TELLING) {
    const value = at(bag, key);
    if (typeof value === 'string' && value !== '') return oneLine(value);
    if (Array.isArray(value) && value.length > 0)
      return oneLine(value.filter((part) => typeof part === 'string').join(' '));
  }
  const rest = JSON.stringify(bag);
  return rest === '{}' ? '' : oneLine(rest);
}

/** Tool calls by their id: an ending knows the name and detail of its beginning, and nothing ends twice. */
export interface ToolBook {
  readonly begin: (id: string, name: string, detail: string) => readonly AgentEvent[];
  /** Something more exact about a call that has begun. */
  readonly refine: (id: string, detail: string) => void;
  readonly end: (id: string, state: Exclude<ToolState, 'begun'>) => readonly AgentEvent[];
}

export function createToolBook(): ToolBook {
  const calls = new Map<string, { name: string; detail: string; isOpen: boolean }>();
  return {
    begin(id, told, detail) {
      if (calls.has(id)) return [];
      const name = oneLine(told, NAME_CHARS_MAX);
      const oldest = calls.size >= OPEN_CALLS_MAX ? calls.keys().next().value : undefined;
      if (oldest !== undefined) calls.delete(oldest);
      calls.set(id, { name, detail, isOpen: true });
      return [{ type: 'tool', name, detail, state: 'begun' }];
    },
    refine(id, detail) {
      const call = calls.get(id);
      if (call !== undefined && detail !== '') call.detail = detail;
    },
    end(id, state) {
      const call = calls.get(id);
      if (call === undefined || !call.isOpen) return [];
      call.isOpen = false;
      return [{ type: 'tool', name: call.name, detail: call.detail, state }];
    },
  };
}

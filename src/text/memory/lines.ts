import type { Memory } from '../memories.ts';
import { MEMORY_CHARS_MAX } from '../memories.ts';

/** What one line of the file says. A later line about the same memory holds; the earlier one stays in the file. */
type MemoryLine =
  /** `isOnce`: said from elsewhere, and only heard where nothing is known of this memory yet. */
  | { readonly kind: 'memory'; readonly memory: Memory; readonly isOnce: boolean }
  | { readonly kind: 'removed'; readonly id: string };

export function memoryLine({ id, at, by, text, tags }: Memory): string {
  return JSON.stringify({ id, at, by, text, tags });
}

/** For what comes from elsewhere and may come twice: a copy that arrives late undoes no edit and no removal. */
export function onceLine({ id, at, by, text, tags }: Memory): string {
  return JSON.stringify({ id, at, by, text, tags, once: true });
}

export const removalLine = (id: string, at: number): string => JSON.stringify({ id, removed: at });

/** Null: the line is no memory, torn off or written by somebody else. */
export function readMemoryLine(line: string): MemoryLine | null {
  const value = jsonOrNull(line);
  if (typeof value !== 'object' || value === null) return null;
  const { id, at, by, text, tags, once, removed } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string') return null;
  if (typeof removed === 'number') return { kind: 'removed', id };
  if (typeof by !== 'string' || typeof text !== 'string') return null;
  if (typeof at !== 'number' || !isTime(at) || !Array.isArray(tags)) return null;
  if (text.trim() === '' || text.length > MEMORY_CHARS_MAX) return null;
  const memory = { id, at, by, text, tags: tags.filter((tag) => typeof tag === 'string') };
  return { kind: 'memory', memory, isOnce: once === true };
}

function jsonOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const isTime = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

/** What holds after all these lines, oldest first; one that was changed stays where it was. What is no memory is passed over. */
export function foldMemories(text: string): readonly Memory[] {
  const all = new Map<string, Memory | null>();
  for (const line of text.split('\n')) {
    const said = readMemoryLine(line);
    if (said?.kind === 'removed') all.set(said.id, null);
    else if (said !== null && (!said.isOnce || !all.has(said.memory.id))) all.set(said.memory.id, said.memory);
  }
  return [...all.values()].filter((memory) => memory !== null);
}

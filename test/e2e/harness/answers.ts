import { taskOf } from './events.ts';

export interface Parked {
  readonly task: string;
  readonly reason: unknown;
  readonly next: unknown;
}

export interface Summary {
  readonly landed: string[];
  readonly ready: string[];
  readonly parked: Parked[];
  readonly stopped: string[];
  readonly waiting: string[];
  readonly open: string[];
}

/** The one JSON object `run --json` and `land --json` print, with tasks by their ids. */
export function summaryOf(stdout: string): Summary {
  const value = JSON.parse(stdout) as Record<string, readonly unknown[] | undefined>;
  const list = (key: string): readonly unknown[] => value[key] ?? [];
  return {
    landed: list('landed').map(idOf).sort(),
    ready: list('ready').map(idOf).sort(),
    parked: list('parked').map((one) => ({ ...(one as Parked), task: idOf(one) })),
    stopped: list('stopped').map(idOf).sort(),
    waiting: list('waiting').map(idOf).sort(),
    open: list('open').map(idOf).sort(),
  };
}

export interface Plan {
  readonly start: string[];
  readonly waiting: { readonly task: string; readonly why: string }[];
}

/** What `run --dry-run --json` prints. */
export function planOf(stdout: string): Plan {
  const value = JSON.parse(stdout) as { start: unknown[]; waiting: { why: unknown }[] };
  return {
    start: value.start.map(idOf),
    waiting: value.waiting.map((one) => ({ task: idOf(one), why: String(one.why) })),
  };
}

/** The list in an answer, whether it is the whole answer or one field of it. */
export function listOf(stdout: string, field: string): Record<string, unknown>[] {
  const value = JSON.parse(stdout) as unknown;
  const list = Array.isArray(value) ? value : (value as Record<string, unknown>)[field];
  if (!Array.isArray(list)) throw new Error(`no list "${field}" in ${stdout}`);
  return list as Record<string, unknown>[];
}

/** The id in a string or in an object that names its task. */
export function idOf(value: unknown): string {
  if (typeof value === 'string') return taskOf(value);
  const { task, id } = value as { task?: unknown; id?: unknown };
  const name = task ?? id;
  if (typeof name === 'object' && name !== null) return idOf(name);
  if (typeof name !== 'string') throw new Error(`no task id in ${JSON.stringify(value)}`);
  return taskOf(name);
}

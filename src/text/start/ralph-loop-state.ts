import { quoted } from '../config/quoted.ts';
import type { FrontMatter } from './front-matter.ts';
import { splitFrontMatter } from './front-matter.ts';

/** Where the ralph-loop plugin of Claude Code keeps the loop of a folder, relative to it. */
export const RALPH_LOOP_FILE = '.claude/ralph-loop.local.md';

/** A loop that lives in the stop hook of somebody's session. */
export interface RalphLoopState {
  readonly isActive: boolean;
  /** The one under way, from 1. */
  readonly iteration: number;
  readonly sessionId: string | null;
  /** Null: without end. */
  readonly maxIterations: number | null;
  readonly completionPromise: string | null;
  readonly startedAt: string | null;
  /** As it was given, to the byte. */
  readonly prompt: string;
}

/** `feature`: whose loop it is, where a plugin that starts it for features says so. */
export type ReadRalphLoop = { readonly feature: string | null } & (
  | { readonly state: RalphLoopState }
  | { readonly problem: { readonly line: number; readonly message: string } }
);

const LARGEST_COUNT = 1_000_000;
const LINE = /^([a-z_]+):[ \t]*(.*?)[ \t]*$/;

interface Field {
  readonly text: string;
  readonly line: number;
}

/** Reads such a file. What it cannot be sure of it names, with the line; it never guesses a prompt. */
export function readRalphLoop(text: string): ReadRalphLoop {
  const parts = splitFrontMatter(text);
  if (parts === null) return { feature: null, ...broken(1, 'there is no front matter between two lines of ---') };
  const fields = fieldsOf(parts.head);
  return { feature: textOf(fields, 'feature_name'), ...readState(fields, parts) };
}

function readState(
  fields: ReadonlyMap<string, Field>,
  parts: FrontMatter,
): { readonly state: RalphLoopState } | ReturnType<typeof broken> {
  const iteration = countOf(fields, 'iteration');
  if (iteration === null || typeof iteration === 'string')
    return broken(lineOf(fields, 'iteration'), iteration ?? 'iteration is missing');
  const most = countOf(fields, 'max_iterations');
  if (typeof most === 'string') return broken(lineOf(fields, 'max_iterations'), most);
  const prompt = promptOf(parts.body);
  if (prompt.trim() === '')
    return broken(parts.head.split('\n').length + 2, 'there is no prompt below the front matter');
  return {
    state: {
      // Its hook ends a loop that is past its last iteration.
      isActive: fields.get('active')?.text !== 'false' && (!most || iteration <= most),
      iteration: Math.max(1, iteration),
      sessionId: textOf(fields, 'session_id'),
      maxIterations: most === null || most === 0 ? null : most,
      completionPromise: textOf(fields, 'completion_promise'),
      startedAt: textOf(fields, 'started_at'),
      prompt,
    },
  };
}

/** How many iterations are left; the one that was under way is done again. */
export function iterationsLeft({ iteration, maxIterations }: RalphLoopState): number | null {
  return maxIterations === null ? null : Math.max(1, maxIterations - iteration + 1);
}

/** The first line with a name counts, as for its writer; a line that is none says nothing. */
function fieldsOf(head: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const [at, line] of head.split(/\r?\n/).entries()) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined && !fields.has(name)) fields.set(name, { text: value, line: at + 2 });
  }
  return fields;
}

/** Its writer puts one empty line before the prompt and one line break behind it. */
function promptOf(body: string): string {
  return body.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

/** Its writer puts the text between two quotes as it is and escapes nothing. */
function textOf(fields: ReadonlyMap<string, Field>, name: string): string | null {
  const { text = '' } = fields.get(name) ?? {};
  if (text === '' || text === 'null') return null;
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}

function countOf(fields: ReadonlyMap<string, Field>, name: string): number | string | null {
  const text = fields.get(name)?.text;
  if (text === undefined) return null;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return count <= LARGEST_COUNT ? count : `${name} must be a whole number up to ${LARGEST_COUNT}, not ${quoted(text)}`;
}

const lineOf = (fields: ReadonlyMap<string, Field>, name: string): number => fields.get(name)?.line ?? 1;

const broken = (line: number, message: string) => ({ problem: { line, message } });

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { wholeLines } from './events.ts';
import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';

/** What a client that speaks Claude's protocol does when it is called. */
export type Act =
  /** Writes a file named after task and iteration, and says this. */
  | { readonly does: 'work'; readonly says?: string; readonly costUsd?: number; readonly path?: string }
  /** Works once so many calls were made, so that all of them are at work at the same time. */
  | { readonly does: 'meet'; readonly calls: number; readonly costUsd: number }
  /** Over so long after the first who meets it; until then everybody does. */
  | { readonly does: 'limit'; readonly resetInMs: number }
  | { readonly does: 'warn'; readonly resetInMs: number }
  | { readonly does: 'auth' }
  | { readonly does: 'rate' }
  /** Works, and ends without the event that ends a run. */
  | { readonly does: 'vanish' };

export const DONE: Act = { does: 'work', says: 'All done.\n<promise>COMPLETE</promise>', costUsd: 0.4 };
export const MORE: Act = { does: 'work', says: 'More to do.', costUsd: 0.4 };

/** An `[agents.NAME]` table for a client that plays these acts, one call each, and then the last again and again. */
export function fakeClient(scratch: Scratch, name: string, acts: readonly Act[]): Readonly<Record<string, unknown>> {
  const program = beside(scratch, `${name}.sh`);
  writeFileSync(program, programFor(callsOf(scratch, name), acts));
  return { driver: 'claude', command: ['sh', program] };
}

export interface FakeCall {
  readonly task: string;
  readonly iteration: string;
  readonly atMs: number;
}

/** Every call of a fake client so far, in order. */
export function fakeCalls(scratch: Scratch, name: string): readonly FakeCall[] {
  const path = callsOf(scratch, name);
  if (!existsSync(path)) return [];
  return wholeLines(readFileSync(path, 'utf8')).map((line) => JSON.parse(line) as FakeCall);
}

const callsOf = (scratch: Scratch, name: string): string => beside(scratch, `${name}.calls`);
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const out = (value: unknown): string => `printf '%s\\n' ${quoted(JSON.stringify(value))}`;

/** A shell, as it starts in a tenth of the time Node does. */
function programFor(calls: string, acts: readonly Act[]): string {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'fake-1', apiKeySource: 'ANTHROPIC_API_KEY' };
  return `at=$(date +%s%3N)
case $at in *[!0-9]*) at=$(date +%s)999;; esac
printf '{"task":"%s","iteration":"%s","atMs":%s}\\n' "$RALPH_TASK_ID" "$RALPH_ITERATION" "$at" >> ${quoted(calls)}
call=$(($(wc -l < ${quoted(calls)}) - 1))
over=$(cat ${quoted(`${calls}.limit`)} 2> /dev/null || echo 0)
[ "$at" -ge "\${over}000" ] || call=${acts.findIndex(({ does }) => does === 'limit')}
cat > /dev/null
${out(init)}
case $call in
${acts.map((act, at) => `${at === acts.length - 1 ? '*' : at})\n${linesOf(act, calls)}\n;;`).join('\n')}
esac
`;
}

/** A line with the time at which a limit is over, which `over` holds. */
function limitLine(info: object): string {
  const [before = '', after = ''] = JSON.stringify({
    type: 'rate_limit_event',
    rate_limit_info: { ...info, resetsAt: 'WHEN' },
  }).split('"WHEN"');
  return `printf '%s\\n' ${quoted(before)}$over${quoted(after)}`;
}

const overIn = (resetInMs: number): string => `$(((at + ${resetInMs} + 999) / 1000))`;

/** Whoever meets the limit first says when it is over. */
function limitOf(calls: string, resetInMs: number): string {
  const file = quoted(`${calls}.limit`);
  return `(set -C; echo ${overIn(resetInMs)} > ${file}) 2> /dev/null
until over=$(cat ${file}) && [ -n "$over" ]; do :; done`;
}

function failed(more: object): string {
  const error = { is_error: true, num_turns: 1, total_cost_usd: 0, usage: {}, terminal_reason: 'api_error' };
  return `${out({ type: 'result', subtype: 'success', ...error, ...more })}\nexit 1`;
}

function linesOf(act: Act, calls: string): string {
  const writes = (path = '"$RALPH_TASK_ID-$call.txt"'): string => `echo "made in call $call" > ${path}`;
  switch (act.does) {
    case 'limit': {
      const line = limitLine({ status: 'rejected', rateLimitType: 'five_hour' });
      const result = "You've hit your 5-hour limit";
      const end = failed({ api_error_status: 429, api_error: 'usage_limit_reached', result });
      return `${limitOf(calls, act.resetInMs)}\n${line}\n${end}`;
    }
    case 'auth':
      return failed({ api_error_status: 401, result: 'Not logged in · Please run /login' });
    case 'rate': {
      const result = 'API Error: Request rejected (429) · rate limit';
      return failed({ api_error_status: 429, api_error_type: 'rate_limit_error', result });
    }
    case 'vanish':
      return writes();
    case 'meet': {
      const wait = `while [ $(wc -l < ${quoted(calls)}) -lt ${act.calls} ]; do sleep 0.1; done`;
      return `${wait}\n${writes()}\n${worked('More to do.', act.costUsd)}`;
    }
    case 'warn': {
      const line = limitLine({ status: 'allowed_warning', utilization: 0.92 });
      return `over=${overIn(act.resetInMs)}\n${line}\n${writes()}\n${worked('All done.\n<promise>COMPLETE</promise>', 0.4)}`;
    }
    case 'work':
      return `${writes(act.path)}\n${worked(act.says ?? 'All done.\n<promise>COMPLETE</promise>', act.costUsd ?? 0.4)}`;
  }
}

function worked(text: string, costUsd: number): string {
  const usage = {
    input_tokens: 1000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 200,
    output_tokens: 50,
  };
  const end = { is_error: false, num_turns: 1, result: text, total_cost_usd: costUsd, usage, permission_denials: [] };
  return [
    out({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }),
    out({ type: 'result', subtype: 'success', ...end }),
  ].join('\n');
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';

/** What a client that speaks Claude's protocol does when it is called. */
export type Act =
  /** Writes a file named after task and iteration, and says this. */
  | { readonly does: 'work'; readonly says?: string; readonly costUsd?: number; readonly path?: string }
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
  const plan = beside(scratch, `${name}.json`);
  const program = beside(scratch, `${name}.mjs`);
  writeFileSync(plan, JSON.stringify(acts));
  writeFileSync(program, PROGRAM);
  return { driver: 'claude', command: ['node', program, plan] };
}

export interface FakeCall {
  readonly task: string;
  readonly iteration: string;
  readonly atMs: number;
}

/** Every call of a fake client so far, in order. */
export function fakeCalls(scratch: Scratch, name: string): readonly FakeCall[] {
  const path = beside(scratch, `${name}.json.calls`);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FakeCall);
}

const PROGRAM = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const plan = process.argv[2];
const env = process.env;
appendFileSync(plan + '.calls', JSON.stringify({ task: env.RALPH_TASK_ID, iteration: env.RALPH_ITERATION, atMs: Date.now() }) + '\\n');
const call = readFileSync(plan + '.calls', 'utf8').split('\\n').length - 2;
const acts = JSON.parse(readFileSync(plan, 'utf8'));
const act = acts[Math.min(call, acts.length - 1)];
readFileSync(0);
const out = (value) => console.log(JSON.stringify(value));
out({ type: 'system', subtype: 'init', session_id: 's' + call, model: 'fake-1', apiKeySource: 'ANTHROPIC_API_KEY' });
const failed = (more) => {
  out({ type: 'result', subtype: 'success', is_error: true, num_turns: 1, total_cost_usd: 0, usage: {}, terminal_reason: 'api_error', ...more });
  process.exit(1);
};
const resetsAt = Math.ceil((Date.now() + (act.resetInMs ?? 0)) / 1000);
if (act.does === 'limit') {
  out({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' } });
  failed({ api_error_status: 429, api_error: 'usage_limit_reached', result: "You've hit your 5-hour limit" });
}
if (act.does === 'auth') failed({ api_error_status: 401, result: 'Not logged in · Please run /login' });
if (act.does === 'rate') failed({ api_error_status: 429, api_error_type: 'rate_limit_error', result: 'API Error: Request rejected (429) · rate limit' });
if (act.does === 'warn')
  out({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', utilization: 0.92, resetsAt } });
writeFileSync(act.path ?? env.RALPH_TASK_ID + '-' + call + '.txt', 'made in call ' + call + '\\n');
if (act.does === 'vanish') process.exit(0);
const text = act.says ?? 'All done.\\n<promise>COMPLETE</promise>';
out({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } });
out({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: text, total_cost_usd: act.costUsd ?? 0.4,
  usage: { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 200, output_tokens: 50 }, permission_denials: [] });
`;

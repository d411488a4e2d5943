import type { Failure } from '../../core/model/failure.ts';
import type { AgentPrice } from '../../core/model/settings.ts';
import { NO_USAGE } from '../../core/model/usage.ts';
import type { CostKind, Usage } from '../../core/model/usage.ts';
import { shortLine } from '../screen/clean.ts';
import type { AgentEvent, Protocol } from './agent-event.ts';
import type { Report } from './report.ts';

/** What is kept of the last answer: its end, where the signal stands. */
const FINAL_TEXT_CHARS_MAX = 64 * 1024;
const TOKENS_PER_PRICE = 1_000_000;
/** What is told goes into the log, for ever: names and messages are kept short, and figures finite. */
const NAME_CHARS_MAX = 100;
const MESSAGE_CHARS_MAX = 500;
const COUNT_MAX = 1e12;
const DOLLARS_MAX = 1e9;

interface Reporter {
  readonly take: (events: readonly AgentEvent[]) => void;
  readonly report: () => Report;
  /** Answers of the model so far. */
  readonly turns: () => number;
}

interface Sums {
  input: number;
  cached: number;
  output: number;
  costUsd: number | null;
  turns: number;
  turnsTold: number;
}

interface Memory {
  session: string | null;
  model: string | null;
  billing: 'key' | 'subscription' | null;
  finalText: string;
  isTerminal: boolean | null;
  failure: Failure | null;
  limit: Report['limit'];
  denials: number;
  readonly sums: Sums;
}

/** Adds up what one run tells, in memory that does not grow with it. */
export function createReporter(options: { readonly protocol: Protocol; readonly price: AgentPrice | null }): Reporter {
  const memory: Memory = {
    session: null,
    model: null,
    billing: null,
    finalText: '',
    // Lines nobody knows may be whole without a word that ends them.
    isTerminal: options.protocol === 'text' || options.protocol === 'jsonl' ? null : false,
    failure: null,
    limit: null,
    denials: 0,
    sums: { input: 0, cached: 0, output: 0, costUsd: null, turns: 0, turnsTold: 0 },
  };
  const turns = (): number => (memory.sums.turns > 0 ? memory.sums.turns : memory.sums.turnsTold);
  return {
    take(events) {
      for (const event of events) {
        memory.isTerminal ??= false;
        takeOne(event, memory);
      }
    },
    report: () => ({
      session: memory.session,
      finalText: memory.finalText,
      isTerminal: memory.isTerminal,
      failure: memory.failure,
      limit: memory.limit,
      denials: memory.denials,
      usage: usageOf(memory, options.price, turns()),
    }),
    turns,
  };
}

function takeOne(event: AgentEvent, memory: Memory): void {
  switch (event.type) {
    case 'started':
      memory.session = event.session ?? memory.session;
      memory.model = event.model === null ? memory.model : shortLine(event.model, NAME_CHARS_MAX);
      memory.billing = event.billing ?? memory.billing;
      return;
    case 'said':
      memory.finalText = endOf(event.isPart ? memory.finalText + event.text : event.text);
      return;
    case 'tool':
      if (event.state === 'denied') memory.denials += 1;
      return;
    case 'usage':
      addUp(event, memory.sums);
      return;
    case 'limit':
      memory.limit = {
        status: event.status,
        // The words of an error often know less than the notice before them.
        resetsAtMs: event.resetsAtMs ?? (event.status === memory.limit?.status ? memory.limit.resetsAtMs : null),
        detail: shortLine(event.detail, MESSAGE_CHARS_MAX),
      };
      return;
    case 'finished':
      finish(event, memory);
      return;
    case 'failed':
      memory.isTerminal = true;
      memory.failure = { kind: event.kind, message: shortLine(event.message, MESSAGE_CHARS_MAX) };
      return;
    case 'throttled':
      return;
  }
}

function finish(event: Extract<AgentEvent, { type: 'finished' }>, memory: Memory): void {
  memory.isTerminal = true;
  memory.failure = null;
  memory.sums.turnsTold = count(memory.sums.turnsTold + (event.turns ?? 0));
  if (event.text !== null) memory.finalText = endOf(event.text);
  // Work that came to its end was not held up: what was reached is near at most.
  if (memory.limit?.status === 'reached') memory.limit = { ...memory.limit, status: 'warning' };
}

const endOf = (text: string): string => text.slice(-FINAL_TEXT_CHARS_MAX);

function addUp(event: Extract<AgentEvent, { type: 'usage' }>, sums: Sums): void {
  const { tokens, cost } = event;
  if (tokens !== null) {
    const before = tokens.scope === 'add' ? { ...sums } : { input: 0, cached: 0, output: 0 };
    sums.input = count(before.input + tokens.input);
    sums.cached = count(before.cached + tokens.cached);
    sums.output = count(before.output + tokens.output);
  }
  if (cost !== null) sums.costUsd = within(cost.usd + (cost.scope === 'add' ? (sums.costUsd ?? 0) : 0), DOLLARS_MAX);
  sums.turns = count(sums.turns + event.turns);
}

const within = (told: number, most: number): number => Math.min(Math.max(0, told), most);
const count = (told: number): number => Math.round(within(told, COUNT_MAX));

function usageOf(memory: Memory, price: AgentPrice | null, turns: number): Usage {
  const { input, cached, output } = memory.sums;
  return {
    ...NO_USAGE,
    inputTokens: input,
    cachedTokens: cached,
    outputTokens: output,
    ...costOf(memory, price),
    turns,
    model: memory.model,
  };
}

function costOf(memory: Memory, price: AgentPrice | null): { costUsd: number | null; costKind: CostKind | null } {
  const { input, cached, output, costUsd } = memory.sums;
  if (costUsd !== null) return { costUsd, costKind: memory.billing === 'subscription' ? 'estimated' : 'billed' };
  if (price === null || input + output === 0) return { costUsd: null, costKind: null };
  const dear = Math.max(0, input - cached) * price.input + cached * price.cached + output * price.output;
  return { costUsd: dear / TOKENS_PER_PRICE, costKind: 'estimated' };
}

/** What is known of an agent that prints plain text: the end of it. */
export function textReport(tail: string): Report {
  return {
    session: null,
    finalText: tail,
    isTerminal: null,
    failure: null,
    limit: null,
    denials: 0,
    usage: NO_USAGE,
  };
}

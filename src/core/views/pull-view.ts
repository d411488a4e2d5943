import type { LoopId, Sha } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import type { CheckVerdict, Pull, Stuck } from '../model/pull.ts';
import { shellWord } from '../model/shell-word.ts';
import { taskIdOf } from '../model/tasks.ts';
import { whyNotMerged } from '../pull/pull-wishes.ts';
import type { PullRules } from '../pull/pull-wishes.ts';

export interface PullView {
  /** null: it is not opened yet. */
  readonly number: number | null;
  readonly url: string | null;
  readonly loop: LoopId;
  readonly task: string;
  readonly title: string;
  readonly state: 'opening' | 'open' | 'closed' | 'merged' | 'working' | 'parked';
  readonly branch: string;
  readonly head: Sha | null;
  /** What CI says of that head; null: nobody has looked. */
  readonly checks: CheckVerdict | null;
  readonly failed: readonly string[];
  /** Who approved that head, and who wants changes. */
  readonly approved: readonly string[];
  readonly changes: readonly string[];
  readonly comments: number;
  readonly rounds: number;
  readonly commit: Sha | null;
  /** Why a person is needed; null: nobody is. */
  readonly stuck: Stuck | null;
  /** What it waits for, in words; empty: nothing is left. */
  readonly waits: string;
  readonly next: string | null;
}

/** Everything that is or was on a forge, the oldest first. */
export const pullViews = (state: State, rules: PullRules): readonly PullView[] =>
  loopsOf(state)
    .flatMap((loop) => (loop.pull === undefined ? [] : [pullView(state, rules, loop, loop.pull)]))
    .sort((a, b) => (a.number ?? Number.MAX_SAFE_INTEGER) - (b.number ?? Number.MAX_SAFE_INTEGER));

function pullView(state: State, rules: PullRules, loop: Loop, pull: Pull): PullView {
  const { seen, number } = pull;
  const reviews = seen?.reviews.filter((one) => one.counts) ?? [];
  const by = (is: 'approved' | 'changes'): readonly string[] => [
    ...new Set(reviews.filter((one) => one.state === is).map((one) => one.by)),
  ];
  const is = stateOf(loop, pull);
  return {
    number,
    url: pull.url,
    loop: loop.id,
    task: taskIdOf(state, loop.task),
    title: loop.title.split('\n')[0] ?? '',
    state: is,
    branch: loop.branch,
    head: pull.head,
    checks: seen !== null && seen.head === pull.head ? seen.checks.verdict : null,
    failed: seen?.checks.failed.map(({ name }) => name) ?? [],
    approved: by('approved'),
    changes: by('changes'),
    comments: seen?.comments.filter((one) => one.counts).length ?? 0,
    rounds: pull.rounds,
    commit: loop.phase.at === 'landed' ? loop.phase.commit : null,
    stuck: pull.stuck,
    waits: waitsFor(state, rules, loop, pull),
    next: nextOf(loop, is),
  };
}

function stateOf({ phase, ...loop }: Loop, { seen, number }: Pull): PullView['state'] {
  if (phase.at === 'landed') return 'merged';
  if (phase.at === 'parked') return seen?.state === 'closed' ? 'closed' : 'parked';
  if (isWorking({ phase, ...loop })) return 'working';
  return number === null ? 'opening' : 'open';
}

function waitsFor(state: State, rules: PullRules, loop: Loop, pull: Pull): string {
  const { phase } = loop;
  if (phase.at === 'landed') return '';
  if (phase.at === 'parked') return phase.detail;
  if (isWorking(loop)) return loop.rework?.detail ?? 'its loop works on it';
  if (pull.number === null || pull.seen === null) return 'it is pushed and opened by the next run, or ralph pr sync';
  const why = whyNotMerged(state, rules, loop, pull.seen);
  if (why !== null) return why;
  if (pull.armed !== null && pull.armed === pull.head) return 'the forge, which merges it by itself';
  return rules.forge?.merge === 'person' ? 'you merge it there, or ralph merger' : 'the merge';
}

function nextOf({ id, phase }: Loop, is: PullView['state']): string | null {
  if (is === 'merged') return null;
  if (is === 'working') return 'ralph run';
  if (phase.at === 'parked') return `ralph pr open ${shellWord(id)}`;
  return is === 'opening' ? 'ralph pr sync' : 'ralph merger';
}

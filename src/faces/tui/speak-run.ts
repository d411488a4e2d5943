import { gatesSaid } from '../../core/views/gates-said.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { clockTime } from '../../world/os/clock.ts';
import { tellLines } from '../call/tell-lines.ts';
import type { Style } from '../call/output.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { iterationOf } from '../../core/views/loops-view.ts';
import { describeStanding, standing } from '../../core/views/standing.ts';
import { factsOf } from './facts.ts';
import { followRun } from './follow-run.ts';
import type { RunFacts } from './model.ts';
import { render, span } from './line.ts';
import type { Look } from './line.ts';
import type { Watched } from './watch-run.ts';

const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String };

export interface Speaking {
  readonly say: (line: string) => void;
  readonly isOnce: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The same for who listens: sentences, one for each thing that happens, and nothing is ever drawn again. */
export async function speakRun(
  { repo, about, look, withTasks }: Watched,
  { say, isOnce, signal }: Speaking,
): Promise<void> {
  const plain: Look = { ...look, colour: false };
  const tell = (text: string): void => say(render([span(text)], Number.POSITIVE_INFINITY, plain));
  const lines = tellLines(about.tracker, PLAIN, (line, atMs) => {
    for (const [at, one] of line.split('\n').entries()) tell(at === 0 ? `${clockTime(atMs)} ${one}` : one);
  });
  const run = await followRun(repo, withTasks, lines);
  for (const sentence of sentencesOf(factsOf(run.state(), about, Date.now()))) tell(sentence);
  if (isOnce) return;
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort());
  signal?.addEventListener('abort', () => ended.abort(), { once: true });
  run.onChange(() => {}, ended.signal);
  await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }));
}

const count = (n: number, does: string, do_: string): string => `${n} ${n === 1 ? does : do_}`;

/** How a run stands, in sentences. */
function sentencesOf(facts: RunFacts): readonly string[] {
  const { landed, work, waits, inbox, parked, reviewing, queue, state } = facts;
  const name = (id: string | null): string => (id === null ? 'your own commits' : id);
  return [
    `${facts.target}: ${landed.length} landed, ${count(work.length, 'is', 'are')} at work, ${count(waits.length, 'waits', 'wait')}, ${count(inbox.length, 'needs', 'need')} you.`,
    ...inbox.map(
      (one) =>
        `${one.task ?? 'everything'} is ${one.state} (${one.reason}) and needs you: ${cleanLine(one.detail)}. Next: ${one.next}`,
    ),
    ...(queue.trouble === null ? [] : [`Landing is stopped: ${queue.trouble}.`]),
    ...(queue.paused ? ['The queue is paused. Next: ralph queue resume'] : []),
    ...(queue.train === null
      ? []
      : [
          `The train is ${queue.train.stage}: ${queue.train.cars.map((car) => `${name(car.task)} ${car.gates}`).join(', ')}.`,
        ]),
    ...queue.waiting.map((one) => `${one.task}: ${describeStanding(one)}. Next: ${one.next}`),
    ...work.map((loop) => {
      const said = gatesSaid(loop.lastGate);
      const gates = said === null ? '' : `, its gates were ${said}`;
      const stands = standing(state, loop);
      const about = `${describeStanding(stands)}, iteration ${iterationOf(loop)}${gates}`;
      return `${taskIdOf(state, loop.task)} on ${loop.branch}: ${about}. Next: ${stands.next}`;
    }),
    ...waits.map(({ task, why }) => `${task}: ${why}.`),
    ...[...parked, ...reviewing].map((loop) => {
      const stands = standing(state, loop);
      return `${taskIdOf(state, loop.task)}: ${describeStanding(stands)}. Next: ${stands.next}`;
    }),
  ];
}

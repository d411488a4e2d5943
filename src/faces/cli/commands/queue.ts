import { setTimeout as sleep } from 'node:timers/promises';
import { describeMs } from '../../../core/model/describe-time.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { QueueView, TrainView } from '../../../core/views/queue-view.ts';
import { queueView } from '../../../core/views/queue-view.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { readState } from '../../call/project.ts';

const LOOK_EVERY_MS = 1000;

/** The train, what is tested where, who waits for what, and how long it may take. */
export const handle = async (call: Call): Promise<Answer<QueueView> | ExitCode> => {
  const repo = findRepository(call.cwd);
  let last = '';
  for (;;) {
    const state = await readState(repo);
    const view = queueView(state, Date.now());
    // Seconds pass by themselves; only what happened is worth another picture.
    const seen = JSON.stringify({ ...view, expected_ms: null, train: withoutTimes(view.train) });
    if (call.flags['watch'] !== true) return { data: view, text: inWords(view, call.out.width) };
    if (seen !== last) show(call, view);
    last = seen;
    const isOver = view.train === null && view.waiting.length === 0 && view.mending.length === 0;
    if (isOver && Object.keys(state.hosts).length === 0) return EXIT.ok;
    await sleep(LOOK_EVERY_MS);
  }
};

const withoutTimes = (train: TrainView | null): unknown =>
  train === null ? null : { ...train, runs: train.runs.map((run) => ({ ...run, since_ms: 0 })) };

function show({ out, flags }: Call, view: QueueView): void {
  if (flags['json'] === true) out.json(view);
  else out.data(inWords(view, out.width));
}

function inWords(view: QueueView, width: number): string {
  const rows = [
    ...view.waiting.map((one) => ['waiting', cleanLine(one.task), cleanLine(one.why)]),
    ...view.mending.map((one) => [
      'mending',
      cleanLine(one.task),
      cleanLine(one.kind === 'red' ? 'red together with what landed' : `conflicts in ${one.paths.join(', ')}`),
    ]),
  ];
  return [
    ...(view.paused ? ['the queue is paused; to resume: ralph queue resume'] : []),
    ...(view.trouble === null ? [] : [`landing is stopped: ${cleanLine(view.trouble)}`]),
    ...(view.train === null ? [] : [trainText(view.train)]),
    ...(rows.length === 0 ? [] : [columns(rows, width)]),
    ...(view.train === null && rows.length === 0 ? ['nothing waits to land'] : []),
    ...(view.expected_ms === null ? [] : [`about ${describeMs(view.expected_ms)} until the queue is empty`]),
  ].join('\n');
}

function trainText(train: TrainView): string {
  const head = `train on ${train.base?.slice(0, 10) ?? '?'}: ${train.stage}`;
  const cars = train.cars.map((car, index) => [
    String(index + 1),
    cleanLine(car.task ?? 'your own new commits'),
    car.gates,
    car.commit.slice(0, 10),
  ]);
  const runs = train.runs.map(({ slot, up_to: upTo, since_ms: sinceMs, again }) => {
    const what = upTo === 0 ? 'main itself' : upTo === 1 ? 'the first alone' : `1 to ${upTo} together`;
    return `slot ${slot} tests ${what} for ${describeMs(sinceMs)}${again > 0 ? `, run ${again + 1}` : ''}`;
  });
  return [head, columns(cars), ...runs].filter((part) => part !== '').join('\n');
}

import type { LoopId } from '../../core/model/ids.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import type { TrainView } from '../../core/views/queue-view.ts';
import { standing } from '../../core/views/standing.ts';
import { cell, raw, span } from './line.ts';
import type { Line } from './line.ts';
import type { Model, RunFacts } from './model.ts';
import { WIDE, describeAge, heading, nameWidth, rowOf } from './rows.ts';
import type { Row } from './rows.ts';

const SHA_DIGITS = 7;

const CAR_SIGNS = { green: '+', red: 'x', testing: '.', waiting: ' ' } as const;

/** The train, what is tested where, and each loop that lands. */
export function trainRows({ facts, nowMs }: Pick<Model, 'facts' | 'nowMs'>, columns: number): readonly Row[] {
  const { queue, target } = facts;
  const { train, paused, trouble } = queue;
  const rows = landingRows(facts, columns);
  const lines: Line[] = [];
  if (trouble !== null) lines.push([raw('  '), span(`landing is stopped: ${trouble}`, 'red')]);
  if (train !== null) lines.push(carsLine(train, target));
  if (lines.length + rows.length === 0 && !paused) return [];
  const runs = (train?.runs ?? []).map(
    ({ slot, up_to: upTo, since_ms: sinceMs }) =>
      `slot ${slot}: ${upTo === 0 ? 'main itself' : upTo === 1 ? 'car 1' : `cars 1-${upTo}`}, ${describeAge(sinceMs + Math.max(0, nowMs - facts.atMs))}`,
  );
  const more = [
    ...(train?.base == null ? [] : [`on ${train.base.slice(0, SHA_DIGITS)}`]),
    ...(train === null ? [] : [train.stage]),
    ...(paused ? ['paused'] : []),
    ...(columns < WIDE ? [] : runs),
  ];
  return [
    heading('train', [span('TRAIN', 'bold'), raw('  '), span(more.join(', '), 'dim')]),
    ...lines.map((line) => heading('train', line)),
    ...rows,
  ];
}

/** Each loop that lands, so that it can be chosen: those aboard, those that board next, those whose pull request is open. */
function landingRows({ state, queue: { train, waiting }, reviewing }: RunFacts, columns: number): readonly Row[] {
  const row = (task: string, { loop, next, why, sign, at }: Landing): Row =>
    rowOf('train', { loop, task, next }, [
      ...sign,
      cell(task, nameWidth(columns)),
      raw(' '),
      cell(at, 10),
      raw(' '),
      span(why, 'dim'),
    ]);
  return [
    ...(train?.cars ?? []).flatMap(({ loop, task, gates, next, why = '' }, at) =>
      loop === null || task === null
        ? []
        : [row(task, { loop, next: next ?? null, why, sign: [carSign(gates), raw(' ')], at: `car ${at + 1}` })],
    ),
    ...waiting.map(({ task, ...one }) => row(task, { ...one, sign: [raw('  ')], at: 'queued' })),
    ...reviewing.map((loop) => {
      const { next, why } = standing(state, loop);
      return row(taskIdOf(state, loop.task), { loop: loop.id, next, why, sign: [raw('+ ', 'green')], at: 'in review' });
    }),
  ];
}

interface Landing {
  readonly loop: LoopId;
  readonly next: string | null;
  readonly why: string;
  readonly sign: Line;
  readonly at: string;
}

const carSign = (gates: keyof typeof CAR_SIGNS): Line[number] =>
  raw(CAR_SIGNS[gates], gates === 'green' ? 'green' : gates === 'red' ? 'red' : 'plain');

function carsLine({ cars }: TrainView, target: string): Line {
  const each = cars.flatMap(({ task, gates }) => [
    raw('['),
    span(task ?? 'your commits'),
    raw(' '),
    carSign(gates),
    raw(']'),
  ]);
  return [raw('  '), span(`${target} --`), ...each];
}

/** The train in one row. */
export function trainLine({ queue: { train, waiting, paused, trouble }, target }: RunFacts): Line {
  if (trouble !== null) return [span(`landing is stopped: ${trouble}`, 'red')];
  if (paused) return [span(`landing is paused, ${waiting.length} wait: ralph queue resume`, 'yellow')];
  if (train !== null) return [span(`train ${train.stage}`), ...carsLine(train, target)];
  return [span(waiting.length === 0 ? 'nothing waits to land' : `${waiting.length} wait for the next train`, 'dim')];
}

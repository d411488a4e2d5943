import { gatesInWords } from '../../core/views/gates-said.ts';
import type { Loop } from '../../core/model/model.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { costInWords, usageView } from '../../core/views/cost-view.ts';
import { foreseenOf } from '../../core/views/foreseen.ts';
import { iterationOf } from '../../core/views/loops-view.ts';
import type { Standing } from '../../core/views/standing.ts';
import { standing } from '../../core/views/standing.ts';
import { apart, raw, span } from './line.ts';
import type { Line } from './line.ts';
import { TABS } from './model.ts';
import type { Model, Screen, Size } from './model.ts';
import { pageLines } from './page.ts';
import { describeAge } from './rows.ts';

/** Rows above and below the text. */
export const LOOP_FRAME_ROWS = 6;

type LoopPlace = Extract<Screen, { at: 'loop' }>;

/** One loop: who it is, how it goes, and one of its five parts. */
export function loopLines(model: Model, screen: LoopPlace, size: Size): readonly Line[] {
  const { facts, nowMs, page, comments } = model;
  const loop = facts.state.loops[screen.loop];
  if (loop === undefined) return [[raw(' '), span(`${screen.loop} is not in the log any more`, 'red')]];
  const own = comments.filter((one) => one.loop === loop.id).length;
  const cost = costInWords(usageView(loop.usage));
  const times = [
    `iteration ${iterationOf(loop)}`,
    describeAge(nowMs - loop.claimedAt),
    ...(cost === '-' ? [] : [cost]),
  ];
  const rule = raw('-'.repeat(size.columns), 'dim');
  const isPast = page !== null && page.commit !== null && loop.head !== null && page.commit !== loop.head;
  const below = [
    ...(isPast ? ['it has moved on since: d reads it again'] : []),
    ...(page?.isFollowing === true ? ['following'] : []),
    ...(page !== null && page.search !== '' ? [`search: ${page.search}`] : []),
    ...(own === 0 ? [] : [`${own} to send`]),
  ].join('  ');
  return [
    apart(
      [raw(' '), span(taskIdOf(facts.state, loop.task), 'bold'), raw('  '), span(loop.title)],
      [span(stateOf(standing(facts.state, loop)), 'bold'), raw(`   ${times.join('   ')} `)],
      size.columns,
    ),
    [raw(' '), span(detailOf(model, loop), 'dim')],
    [raw(' '), ...tabs(screen, page?.head ?? null)],
    [rule],
    ...(page === null ? [[raw('  '), span('reading ...', 'dim')]] : pageLines(page, size.rows - LOOP_FRAME_ROWS)),
    below === '' ? [rule] : [raw('-'.repeat(Math.max(0, size.columns - below.length - 3)), 'dim'), raw(` ${below} `)],
  ];
}

const stateOf = ({ state, reason }: Standing): string =>
  state === 'at-work' || reason === null ? state : `${state} (${reason})`;

function detailOf({ facts: { state } }: Model, loop: Loop): string {
  const gates =
    loop.lastGate === null
      ? ''
      : loop.lastGate.verdict === 'green'
        ? gatesInWords(loop.lastGate)
        : `gates red: ${loop.lastGate.failing ?? ''}`;
  const meets = foreseenOf(state, loop).map(
    ({ task, paths }) => `will conflict with ${task ?? 'main'} in ${paths.join(', ')}`,
  );
  const told = loop.guidance.length === 0 ? '' : `${loop.guidance.length} to be sent`;
  const { state: at, why } = standing(state, loop);
  const parked = at === 'at-work' ? '' : why;
  return [loop.branch, loop.agent, gates, ...meets, told, parked].filter((part) => part !== '').join('   ');
}

function tabs({ tab, scope }: LoopPlace, head: string | null): Line {
  return [
    ...TABS.flatMap((name, at) => {
      const more = name === 'diff' && tab === 'diff' ? `: ${scope}` : '';
      const text = `${at + 1} ${name}${more}`;
      return [tab === name ? span(`[${text}]`, 'bold') : span(text, 'dim'), raw('   ')];
    }),
    span(head ?? '', 'dim'),
  ];
}

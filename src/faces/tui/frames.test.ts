import { expect, it } from 'vitest';
import { LIMITS, POLICY, RED, TRACKER, task, tellTale } from '../../../test/sim/tale.ts';
import { sha } from '../../core/model/ids.ts';
import type { LoopId } from '../../core/model/ids.ts';
import { NO_PROJECT_LIMITS } from '../../core/model/project-limits.ts';
import { factsOf } from './facts.ts';
import { AT_RUN } from './model.ts';
import type { Model, Size } from './model.ts';
import { pageOf, textRow } from './page.ts';
import { view } from './view.ts';

const AT_WORK = 20;

/** A run of a night: two need somebody, two ride, one waits to board, twenty work, one waits, one landed. */
function night(): { readonly model: Model; readonly asks: LoopId; readonly first: LoopId } {
  const tale = tellTale();
  tale.join('h1', { slots: AT_WORK });
  const ids = Array.from({ length: AT_WORK }, (_, n) => `form-${String(n + 1).padStart(2, '0')}`);
  const others = ['landed', 'payments', 'colour', 'login', 'search', 'footer'];
  tale.read(...[...others, ...ids].map((id) => task(id)), task('export', { deps: ['form-01'] }));
  tale.land(tale.ready('landed'), '1a2b3c4d5e6f7a8b');
  const asks = tale.begin('payments');
  tale.write({ type: 'loop-blocked', loop: asks, n: 1, why: 'needs a key for the payment service' });
  tale.iterate(asks, 'worked');
  const colour = tale.begin('colour');
  tale.iterate(colour, 'claimed', 'tree');
  tale.gate(colour, { ...RED, failing: 'npm test', tail: 'FAIL src/theme.test.ts: expected #fff, got #000' });
  tale.iterate(colour, 'timed-out', 'tree');
  const riding = ['login', 'search', 'footer'].map((id) => tale.ready(id));
  const items = riding.map((loop) => ({ loop, head: tale.loop(loop).head ?? sha('') }));
  tale.write({ type: 'landing-requested', items });
  tale.startLanding();
  tale.build(riding.slice(0, 2).map((loop, n) => [loop, `l${n}`] as const));
  const words = new Map<LoopId, { readonly text: string; readonly at: number }>();
  for (const [n, id] of ids.entries()) {
    const loop = tale.begin(id);
    words.set(loop, { text: `edit src/forms/form-${n + 1}.ts +${n} -2`, at: 0 });
  }
  const state = tale.state();
  const policy = { ...POLICY, limits: LIMITS };
  const about = { tracker: TRACKER, target: 'main', policy, attempts: 1, limits: NO_PROJECT_LIMITS };
  const nowMs = state.seq * 1000 + 3 * 60_000;
  const look = { colour: false, ascii: true };
  const [first] = words.keys();
  if (first === undefined) throw new Error('nobody works');
  return { model: { ...AT_RUN, facts: factsOf(state, about, nowMs), nowMs, look, words }, asks, first };
}

const LARGE: Size = { columns: 120, rows: 35 };
const { model, asks, first } = night();
const loop = (tab: 'transcript' | 'diff'): Partial<Model> => ({
  screen: { at: 'loop', loop: tab === 'diff' ? asks : first, tab, scope: 'whole branch' },
});
const said = Array.from({ length: 40 }, (_, n) => textRow(`    edit src/forms/form-1.ts +${n} -2`));
const place = { path: 'src/pay.ts', side: 'new' as const, line: 2, code: 'const key = null;' };
const changed = [
  textRow('src/pay.ts', 'bold'),
  { ...textRow('@@ -1,2 +1,2 @@', 'dim'), isMark: true },
  textRow('     1    1   export function pay() {'),
  { ...textRow('          2 + const key = null;', 'green'), place },
];

/** Each screen as it looks, to be looked at: `npx vitest run --project pure src/faces/tui/frames.test.ts -u` draws them anew. */
it.each<readonly [name: string, size: Size, more: Partial<Model>]>([
  ['run-120x35', LARGE, {}],
  ['run-60x15', { columns: 60, rows: 15 }, {}],
  ['run-39x7', { columns: 39, rows: 7 }, {}],
  ['filter-120x35', LARGE, { filter: 'form-1', selected: first }],
  ['keys-120x35', LARGE, { screen: { at: 'keys', chosen: 0 }, asked: { what: 'keys', prompt: 'keys:', text: '' } }],
  ['transcript-120x35', LARGE, { ...loop('transcript'), page: pageOf(said, true) }],
  [
    'diff-60x15',
    { columns: 60, rows: 15 },
    { ...loop('diff'), page: { ...pageOf(changed), cursor: 3, head: '1 file +1 -0' } },
  ],
  [
    'discard-120x35',
    LARGE,
    { selected: asks, asked: { what: 'discard', prompt: `to throw ${asks} away, type its id:`, text: 'pay' } },
  ],
])('the frame %s', async (name, size, more) => {
  const rows = view({ ...model, ...more }, size);
  expect(rows.every((row) => row.length <= size.columns)).toBe(true);
  await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot(`../../../test/fixtures/frames/${name}.txt`);
});

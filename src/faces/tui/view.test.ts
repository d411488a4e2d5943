import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS, POLICY, RED, TRACKER, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { sha } from '../../core/model/ids.ts';
import type { LoopId } from '../../core/model/ids.ts';
import { NO_PROJECT_LIMITS } from '../../core/model/project-limits.ts';
import { displayWidth } from '../../text/screen/table.ts';
import { factsOf } from './facts.ts';
import { KEYS } from './keys.ts';
import { AT_RUN } from './model.ts';
import type { Model, Size, Standpoint } from './model.ts';
import { pageOf, textRow } from './page.ts';
import { press } from './press.ts';
import type { Pressed, Wish } from './pressed.ts';
import { runRows, staysChosen } from './run-screen.ts';
import { view } from './view.ts';

const ABOUT = {
  tracker: TRACKER,
  target: 'main',
  policy: { ...POLICY, limits: LIMITS },
  attempts: 1,
  limits: NO_PROJECT_LIMITS,
};
const WIDE: Size = { columns: 100, rows: 24 };

function modelOf(tale: Tale, more: Partial<Model> = {}): Model {
  const state = tale.state();
  const nowMs = Math.max(0, ...Object.values(state.loops).map((loop) => loop.since)) + 65_000;
  return {
    ...AT_RUN,
    facts: factsOf(state, ABOUT, nowMs),
    nowMs,
    look: { colour: false, ascii: false },
    words: new Map(),
    ...more,
  };
}

/** A run with something in every section. */
function busy(title = 'Do it'): { readonly tale: Tale; readonly asks: LoopId; readonly work: LoopId } {
  const tale = tellTale();
  tale.join('h1', { slots: 3, mergePolicy: 'manual' });
  tale.read(
    ...['asks', 'looks', 'work', 'last'].map((id) =>
      task(id, { title: `${title} ${id}`, deps: id === 'last' ? ['work'] : [] }),
    ),
  );
  const asks = tale.begin('asks');
  tale.write({ type: 'loop-blocked', loop: asks, n: 1, why: `needs a key ${title}` });
  tale.iterate(asks, 'worked');
  tale.ready('looks');
  const work = tale.begin('work');
  tale.iterate(work, 'claimed', 'tree');
  tale.gate(work, { ...RED, failing: `npm test ${title}` });
  return { tale, asks, work };
}

const text = (model: Model, size: Size = WIDE): string => view(model, size).join('\n');

/** Where one is after some keys, and what the last of them wanted. */
function after(
  model: Model,
  keys: readonly string[],
  size: Size = WIDE,
): { readonly model: Model; readonly last: Pressed } {
  let now = model;
  let last: Pressed = { to: {}, wish: null };
  for (const name of keys) {
    last = press(now, { name, text: name.length === 1 ? name : '' }, size);
    now = { ...now, ...(last.to satisfies Partial<Standpoint>) };
  }
  return { model: now, last };
}

const wishAfter = (model: Model, ...keys: readonly string[]): Wish | null => after(model, keys).last.wish;

describe('the view', () => {
  it('shows what needs a person first, then what is at work, what waits and why', () => {
    const { tale, work } = busy();
    const words = new Map([[work, { text: '$ npm test  2 failed', at: 0 }]]);
    const rows = view(modelOf(tale, { words }), WIDE).filter((row) => row !== '');
    expect(rows).toMatchInlineSnapshot(`
      [
        " ralph  main <- PRD.md   run 1m                   0 landed  1 at work  1 wait  2 need you    ? left",
        "NEEDS YOU 2  n goes to the next",
        "> ? asks             blocked     needs a key Do it",
        "  + looks            review      gates green",
        "AT WORK 1            state      iter   time  gates      cost  last words",
        "  * work             works         2     1m  red           -  $ npm test  2 failed",
        "WAITING 1  dependency 1",
        "    last                 waits for work",
        " asks is parked (blocked); next: ralph loops logs asks-1",
        " enter open  d diff  t transcript  w why  s say  a approve  x stop  / filter  ? keys  q leave",
      ]
    `);
  });

  it('is at every size no wider and no higher than the screen', () => {
    const { tale, asks } = busy('日本 Ein langer Titel');
    const screens: readonly Partial<Model>[] = [
      {},
      { screen: { at: 'keys', chosen: 0 }, asked: { what: 'keys', prompt: 'keys:', text: '' } },
      {
        screen: { at: 'loop', loop: asks, tab: 'transcript', scope: 'whole branch' },
        page: pageOf([textRow('x'.repeat(500))], true),
      },
      {
        screen: { at: 'text', title: 'ralph why asks' },
        page: pageOf(Array.from({ length: 90 }, (_, n) => textRow(`${n} 日本`))),
      },
      { asked: { what: 'say', prompt: 'say to it:', text: 'a long answer '.repeat(30) } },
      { note: { text: 'an error that goes on and on '.repeat(9), isBad: true } },
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...screens),
        fc.integer({ min: 1, max: 160 }),
        fc.integer({ min: 1, max: 50 }),
        (more, columns, rows) => {
          const lines = view(modelOf(tale, more), { columns, rows });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('is one row of totals below 40 columns or 8 rows', () => {
    const { tale } = busy();
    expect(view(modelOf(tale), { columns: 39, rows: 30 })).toEqual(['0 landed  1 at work  1 wait  2 need you']);
    expect(view(modelOf(tale), { columns: 80, rows: 7 })).toHaveLength(1);
    expect(view(modelOf(tale), { columns: 40, rows: 8 })).toHaveLength(8);
  });

  it('A5: is steered by nothing that is not ours', () => {
    const hostile = '\u001b[2J\u001b]52;c;aGk=\u0007\u202e\u200b\u009b31m\r\b';
    const { tale, work } = busy(hostile);
    const words = new Map([[work, { text: hostile, at: 0 }]]);
    const page = pageOf([textRow(hostile)]);
    const all = [
      modelOf(tale, { words }),
      modelOf(tale, { words, page, screen: { at: 'loop', loop: work, tab: 'gates', scope: 'whole branch' } }),
      modelOf(tale, { page, screen: { at: 'text', title: hostile }, note: { text: hostile, isBad: true } }),
      modelOf(tale, { asked: { what: 'say', prompt: hostile, text: hostile } }),
    ];
    // oxlint-disable-next-line no-control-regex
    // oxlint-disable-next-line no-control-regex
    const acting = /[\u0000-\u001f\u007f-\u009f\u200b\u202e]/;
    for (const model of all) expect(text(model).replaceAll('\n', '')).not.toMatch(acting);
  });

  it('A6: has colours only where they are wanted, and the same words without', () => {
    const { tale } = busy();
    const coloured = text(modelOf(tale, { look: { colour: true, ascii: false } }));
    expect(coloured).toContain('\u001b[33m? \u001b[m');
    // oxlint-disable-next-line no-control-regex
    expect(coloured.replaceAll(/\u001b\[\d*m/g, '')).toBe(text(modelOf(tale)));
  });

  it('keeps the order of its rows, and the chosen one chosen, while its loop goes on', () => {
    const { tale, work } = busy();
    const chosen = after(modelOf(tale), ['j', 'j']).model;
    expect(chosen.selected).toBe(work);
    tale.gate(work, { verdict: 'green', failing: null, tail: '' });
    const rows = view({ ...modelOf(tale), selected: chosen.selected }, WIDE);
    expect(rows.find((row) => row.startsWith('> '))).toMatch(/work/);
  });

  it('names each task once, also one that waits for another to land', () => {
    const tale = tellTale();
    tale.join('h1', { slots: 2 });
    tale.read(task('first'), task('second'));
    tale.begin('first');
    const second = tale.begin('second');
    tale.iterate(second, 'claimed');
    expect(tale.loop(second).phase.at).toBe('waiting');
    const rows = runRows(modelOf(tale), WIDE).filter(({ task: id }) => id === 'second');
    expect(rows.map(({ section }) => section)).toEqual(['at work']);
  });

  it('has another row chosen only where the chosen one is gone, and then the next', () => {
    const { tale } = busy();
    const rows = runRows(modelOf(tale), WIDE);
    const [asks, looks, ...others] = rows.filter(({ key }) => key !== null);
    if (asks === undefined || looks === undefined) throw new Error('two need somebody');
    const more = { ...asks, key: 'all:disk' };
    expect(staysChosen(null, rows, [more, ...rows])).toBe(asks.key);
    expect(staysChosen(looks.key, rows, [more, ...rows])).toBe(looks.key);
    expect(staysChosen(asks.key, rows, [more, looks, ...others])).toBe(looks.key);
    expect(staysChosen(looks.key, [asks, looks], [asks])).toBe(asks.key);
    expect(staysChosen(looks.key, rows, [])).toBeNull();
  });

  it('has a row to choose for each loop that lands, aboard, queued or in review', () => {
    const { tale } = busy();
    const [aboard, next] = ['aboard', 'next'].map((id) => {
      tale.read(task('work'), task('aboard'), task('next'));
      return tale.ready(id);
    });
    if (aboard === undefined || next === undefined) throw new Error('both are ready');
    const items = [aboard, next].map((loop) => ({ loop, head: tale.loop(loop).head ?? sha('') }));
    tale.write({ type: 'landing-requested', items });
    tale.startLanding();
    tale.build([[aboard, 'l']]);
    const model = { ...modelOf(tale), selected: next };
    const rows = view(model, { columns: 120, rows: 35 });
    expect(rows.find((row) => row.includes('main --'))).toContain('[aboard');
    expect(rows).toContainEqual(expect.stringMatching(/^ {4}aboard +car 1 +it rides on the train/));
    expect(rows).toContainEqual(expect.stringMatching(/^> {3}next +queued +boards when/));
    expect(rows.at(-2)).toBe(` next is landing (queued); next: ralph queue --watch`);
    expect(wishAfter(model, 'b')).toMatchObject({ words: ['queue', 'bump', next] });
    expect(wishAfter(model, 'e')).toMatchObject({ words: ['queue', 'eject', next] });
  });

  it('tells how long the gates of a train have run by now, and not when it was last told of them', () => {
    const { tale } = busy();
    tale.read(task('aboard'));
    const aboard = tale.ready('aboard');
    tale.write({ type: 'landing-requested', items: [{ loop: aboard, head: tale.loop(aboard).head ?? sha('') }] });
    tale.startLanding();
    tale.build([[aboard, 'l']]);
    const model = modelOf(tale);
    const later = { ...model, nowMs: model.nowMs + 20 * 60_000 };
    expect(text(model, { columns: 120, rows: 35 })).toMatch(/slot 1: car 1, 1m/);
    expect(text(later, { columns: 120, rows: 35 })).toMatch(/slot 1: car 1, 21m/);
  });

  it('offers to leave at every width', () => {
    const { tale } = busy();
    for (const columns of [60, 80, 100, 120])
      expect(view(modelOf(tale), { columns, rows: 15 }).at(-1)).toMatch(/ q leave$/);
  });
});

describe('the keys of the view', () => {
  it('go down, up, to the ends, to the next section and to what needs a person', () => {
    const { tale, asks, work } = busy();
    const model = modelOf(tale);
    const chosen = (...keys: readonly string[]) => after(model, keys).model.selected;
    expect(chosen('j')).toMatch(/^looks-/);
    expect(chosen('j', 'k')).toBe(asks);
    expect(chosen('G')).toBe('task:last');
    expect(chosen('G', 'g')).toBe(asks);
    expect(chosen('tab')).toBe(work);
    expect(chosen('G', 'n')).toBe(asks);
    expect(chosen('n')).toMatch(/^looks-/);
  });

  it('open a loop, go through its parts, and lead back to the same row', () => {
    const { tale, work } = busy();
    const model = after(modelOf(tale), ['j', 'j']).model;
    const inside = after(model, ['return']);
    expect(inside.model.screen).toMatchObject({ at: 'loop', loop: work, tab: 'transcript' });
    expect(inside.last.wish).toEqual({ do: 'read' });
    expect(after(inside.model, ['4']).model.screen).toMatchObject({ tab: 'history' });
    expect(after(inside.model, ['escape']).model).toMatchObject({ screen: { at: 'run' }, selected: work });
    expect(text(inside.model)).toMatch(/\[1 transcript\] +2 diff +3 gates +4 history +5 task/);
  });

  it('stand each for a command, which the list of keys shows', () => {
    const { tale, asks, work } = busy();
    const model = modelOf(tale);
    expect(wishAfter(model, 'w')).toMatchObject({ do: 'command', words: ['why', asks], show: 'text' });
    expect(wishAfter(model, 'j', 'j', 'x')).toMatchObject({ words: ['loops', 'stop', work], show: 'note' });
    expect(wishAfter(model, 'P')).toMatchObject({ words: ['queue', 'pause'] });
    expect(wishAfter(model, 'z')).toMatchObject({ words: ['undo'] });
    const listed = text(after(model, ['?']).model, { columns: 120, rows: 60 });
    expect(listed).toContain(`ralph why ${asks}`);
    for (const { shown } of KEYS) expect(listed).toContain(shown);
  });

  it('are all within reach on a screen that is too small for them', () => {
    const { tale, asks } = busy();
    const size = { columns: 60, rows: 15 };
    const open = after(modelOf(tale), ['?'], size).model;
    expect(text(open, size)).not.toContain('leave; the run continues');
    const last = after(
      open,
      KEYS.map(() => 'down'),
      size,
    );
    expect(text(last.model, size)).toMatch(/^> q +leave; the run continues/m);
    expect(press(last.model, { name: 'return', text: '' }, size).wish).toEqual({ do: 'leave' });
    const why = after(open, [...'not landed'.split(''), 'return'], size).last.wish;
    expect(why).toMatchObject({ words: ['why', asks] });
  });

  it('approve exactly the commit that is shown', () => {
    const { tale } = busy();
    const model = after(modelOf(tale), ['j', 'd']).model;
    const head = 'f'.repeat(40);
    const seen = { ...model, page: { ...pageOf([]), commit: head } };
    const wish = wishAfter(seen, 'a');
    expect(wish).toMatchObject({ do: 'command', show: 'note' });
    expect(wish?.do === 'command' ? wish.words.slice(2) : []).toEqual(['--approve', '--head', head]);
    expect(after(modelOf(tale), ['j', 'j', 'a']).model.note).toMatchObject({ isBad: true });
  });

  it('send comments on lines and ranges back as one', () => {
    const { tale } = busy();
    const place = (line: number) => ({ path: 'a.ts', side: 'new' as const, line, code: `line ${line}` });
    const rows = [1, 2, 3].map((line) => ({ ...textRow(`line ${line}`), place: place(line) }));
    const model = { ...after(modelOf(tale), ['j', 'd']).model, page: { ...pageOf(rows), commit: 'e'.repeat(40) } };
    const wish = wishAfter(model, 'c', 'n', 'o', 'return', 'j', 'v', 'j', 'c', 'w', 'h', 'y', 'return', 'S');
    expect(wish?.do === 'command' ? JSON.parse(wish.input ?? '') : null).toEqual([
      { path: 'a.ts', side: 'new', first: 1, last: 1, text: 'no' },
      { path: 'a.ts', side: 'new', first: 2, last: 3, text: 'why' },
    ]);
  });

  it('throw away only what is named, and stop at once only what is confirmed', () => {
    const { tale, asks } = busy();
    const model = modelOf(tale);
    expect(wishAfter(model, 'ctrl-x', ...asks.split(''), 'return')).toMatchObject({
      words: ['loops', 'discard', '--yes', asks],
    });
    expect(wishAfter(model, 'ctrl-x', 'y', 'return')).toBeNull();
    expect(wishAfter(model, 'X', 'n', 'return')).toBeNull();
    expect(wishAfter(model, 'X', 'y', 'return')).toMatchObject({ words: ['loops', 'stop', '--force', asks] });
  });

  it('filter the list, and search a text', () => {
    const { tale } = busy();
    const filtered = after(modelOf(tale), ['/', 'l', 'o', 'o', 'k', 'return']).model;
    expect(view(filtered, WIDE).filter((row) => /^[> ] [^ ]/.test(row))).toHaveLength(1);
    expect(after(filtered, ['escape']).model.filter).toBe('');
    const rows = ['one', 'two', 'three', 'two again'].map((row) => textRow(row));
    const page: Model = { ...modelOf(tale), screen: { at: 'text', title: 't' }, page: pageOf(rows) };
    const found = after(page, ['/', 't', 'w', 'o', 'return']).model;
    expect(found.page?.cursor).toBe(1);
    expect(after(found, ['n']).model.page?.cursor).toBe(3);
    expect(after(found, ['n', 'n']).model.page?.cursor).toBe(1);
  });

  it('take any command, and none that would end with the view', () => {
    const { tale } = busy();
    const typed = (line: string) => after(modelOf(tale), [':', ...line.split(''), 'return']).last;
    expect(typed('loops --all').wish).toMatchObject({ words: ['loops', '--all'], show: 'text' });
    expect(typed('ralph why "a b"').wish).toMatchObject({ words: ['why', 'a b'] });
    expect(typed('run --parallel').to.note).toMatchObject({ isBad: true });
    expect(typed('loops | head').to.note).toMatchObject({ isBad: true });
  });

  it('never lose the view, whatever is typed', () => {
    const { tale } = busy();
    const names = [...KEYS.map(({ key }) => key), 'escape', 'backspace', 'k', 'G', '[', ']', 'S', '5', 'N'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 30 }), (keys) => {
        const { model } = after(modelOf(tale), keys);
        expect(view(model, WIDE)).toHaveLength(WIDE.rows);
      }),
    );
  });
});

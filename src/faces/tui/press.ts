import type { LoopId } from '../../core/model/ids.ts';
import { isWorking } from '../../core/model/model.ts';
import { answered, typed } from './answer.ts';
import { KEYS, commandOf } from './keys.ts';
import type { KeySpec, Subject } from './keys.ts';
import { LOOP_FRAME_ROWS } from './loop-screen.ts';
import { SCOPES, TABS } from './model.ts';
import type { Asked, Model, Page, PageRow, Screen, Size } from './model.ts';
import { holds, moveTo, moveToNext } from './page.ts';
import { NOTHING, asks, backAtRun, command, opened, told, went, wishes } from './pressed.ts';
import type { Key, Pressed } from './pressed.ts';
import { runRows, topRow } from './run-screen.ts';
import { listRoom } from './rows.ts';
import type { Row, Section } from './rows.ts';

/** Rows above and below the list of keys. */
export const KEYS_FRAME_ROWS = 2;

/** What a key does. The same model and the same key always do the same. */
export function press(model: Model, key: Key, size: Size): Pressed {
  const { asked, screen } = model;
  if (key.name === 'ctrl-z') return wishes({ do: 'suspend' });
  if (key.name === 'ctrl-l') return wishes({ do: 'redraw' });
  if (asked !== null) return onAsked(model, key, size);
  if (key.name === 'ctrl-c') return wishes({ do: 'leave' });
  const own = screen.at === 'run' ? onRun(model, key, size) : onPage(model, screen, key, size);
  return own ?? anywhere(model, key, size) ?? NOTHING;
}

function onAsked(model: Model, key: Key, size: Size): Pressed {
  const { asked, screen } = model;
  if (asked === null) return NOTHING;
  if (key.name === 'ctrl-c') return onAsked(model, { name: 'escape', text: '' }, size);
  if (screen.at === 'keys') return onKeys(model, asked, key, size);
  if (key.name !== 'return') return went({ asked: typed(asked, key) });
  const facts = { subject: subjectOf(model, size), places: placesIn(model.page), room: roomOf(screen, size) };
  return answered(model, asked, facts);
}

/** How far a key moves in the list of keys. */
const steps = ({ rows }: Size): Readonly<Record<string, number>> => ({
  down: 1,
  up: -1,
  pagedown: rows - KEYS_FRAME_ROWS,
  pageup: KEYS_FRAME_ROWS - rows,
});

/** In the list of keys letters search, arrows choose, and enter does what is chosen. */
function onKeys(model: Model, asked: Asked, key: Key, size: Size): Pressed {
  const lines = keyLines(model, size);
  const chosen = chosenKey(model, lines.length);
  const step = steps(size)[key.name];
  if (step !== undefined) {
    const next = Math.max(0, Math.min(lines.length - 1, chosen + step));
    return went({ screen: { at: 'keys', chosen: next } });
  }
  if (key.name !== 'return') {
    const next = typed(asked, key);
    return next === null ? backAtRun(model) : went({ asked: next, screen: { at: 'keys', chosen: 0 } });
  }
  const line = lines[chosen];
  const list: Model = { ...model, asked: null, screen: { at: 'run' }, page: null };
  const done = line === undefined ? NOTHING : press(list, { name: line.spec.key, text: '' }, size);
  return { ...done, to: { ...backAtRun(model).to, ...done.to } };
}

/** Which line of the list of keys is chosen. */
export const chosenKey = ({ screen }: Model, many: number): number =>
  screen.at === 'keys' ? Math.max(0, Math.min(many - 1, screen.chosen)) : 0;

/** What keys are about. */
function subjectOf(model: Model, size: Size): Subject {
  const { facts, screen, page } = model;
  const run = { isPaused: facts.queue.paused, isHeld: facts.state.pausedAt != null };
  if (screen.at === 'loop') {
    const loop = facts.state.loops[screen.loop] ?? null;
    return { loop, task: null, next: null, head: screen.tab === 'diff' ? (page?.commit ?? null) : null, ...run };
  }
  const row = chosenRow(runRows(model, size), model.selected);
  const loop = row?.loop == null ? null : (facts.state.loops[row.loop] ?? null);
  return { loop, task: row?.task ?? null, next: row?.next ?? null, head: null, ...run };
}

/** The row that is chosen; until one was, the first. */
export const chosenRow = (rows: readonly Row[], selected: string | null): Row | null =>
  rows.find(({ key }) => key !== null && key === selected) ?? rows.find(({ key }) => key !== null) ?? null;

/** What is done is read as a diff. */
const isReady = ({ facts }: Model, loop: LoopId): boolean => facts.state.loops[loop]?.phase.at === 'ready';

/** Keys of the list. */
function onRun(model: Model, { name }: Key, size: Size): Pressed | null {
  const rows = runRows(model, size);
  const keyed = rows.filter(({ key }) => key !== null);
  const chosen = chosenRow(rows, model.selected);
  const at = chosen === null ? 0 : keyed.indexOf(chosen);
  const choose = (row: Row | undefined | null): Pressed => {
    const selected = row?.key ?? model.selected;
    return went({ selected, top: topRow(model.top, rows, selected, listRoom(size)) });
  };
  const by = (step: number): Pressed => choose(keyed[Math.max(0, Math.min(keyed.length - 1, at + step))]);
  const section = (wanted: Section): Pressed => {
    const row = keyed.find((one) => one.section === wanted);
    return row === undefined ? told(`nothing has ${wanted} in this run`) : choose(row);
  };
  const half = Math.max(1, Math.floor(listRoom(size) / 2));
  switch (name) {
    case 'j':
    case 'down':
      return by(1);
    case 'k':
    case 'up':
      return by(-1);
    case 'g':
    case 'home':
      return choose(keyed[0]);
    case 'G':
    case 'end':
      return choose(keyed.at(-1));
    case 'ctrl-d':
    case 'pagedown':
      return by(half);
    case 'ctrl-u':
    case 'pageup':
      return by(-half);
    case 'n': {
      const needy = keyed.filter((row) => row.section === 'needs you');
      const next = needy.find((row) => keyed.indexOf(row) > at) ?? needy[0];
      return next === undefined ? told('nothing needs you now') : choose(next);
    }
    case 'tab':
      return choose([...keyed.slice(at), ...keyed].find((row) => row.section !== chosen?.section) ?? chosen);
    case 'L':
      return section('landed');
    case 'p':
      return section('parked');
    case 'escape':
      return went({ filter: '' });
    case '/':
      return asks('filter', 'filter:');
    case 'return':
    case 'l':
    case 'right':
      if (chosen?.loop != null) return opened(chosen.loop, isReady(model, chosen.loop) ? 'diff' : 'transcript');
      return chosen?.task == null ? NOTHING : command('text', ['why', chosen.task]);
    default:
      return null;
  }
}

/** Keys of a text: a part of a loop, the list of keys, or what a command printed. */
function onPage(model: Model, screen: Exclude<Screen, { at: 'run' }>, key: Key, size: Size): Pressed | null {
  const { page } = model;
  if (['escape', 'h', 'left'].includes(key.name) || (key.name === 'q' && screen.at !== 'loop')) {
    if (page !== null && page.from !== null) return went({ page: { ...page, from: null } });
    return backAtRun(model);
  }
  const own = screen.at === 'loop' ? onLoop(model, screen, key, size) : null;
  return own ?? (page === null ? null : inText(page, key, roomOf(screen, size)));
}

function inText(page: Page, { name }: Key, room: number): Pressed | null {
  const half = Math.max(1, Math.floor(room / 2));
  const by = (step: number): Pressed => went({ page: moveTo(page, page.cursor + step, room) });
  const toNext = (step: 1 | -1): Pressed => {
    const isHit = page.search === '' ? ({ isMark }: PageRow) => isMark === true : holds(page.search);
    const moved = moveToNext(page, step, isHit, room);
    if (moved !== null) return went({ page: moved });
    return told(page.search === '' ? 'there is no other part' : `no line holds ${page.search}`);
  };
  const row = page.rows[page.cursor];
  switch (name) {
    case 'j':
    case 'down':
      return by(1);
    case 'k':
    case 'up':
      return by(-1);
    case 'g':
    case 'home':
      return went({ page: moveTo(page, 0, room) });
    case 'G':
    case 'end':
      return went({ page: moveTo(page, page.rows.length - 1, room) });
    case 'ctrl-d':
    case 'pagedown':
    case 'space':
      return by(half);
    case 'ctrl-u':
    case 'pageup':
      return by(-half);
    case 'f':
      return went({ page: { ...page, isFollowing: true, cursor: Math.max(0, page.rows.length - 1) } });
    case 'n':
      return toNext(1);
    case 'N':
      return toNext(-1);
    case '/':
      return asks('search', 'search:');
    case 'y':
      return wishes({ do: 'copy', text: row?.place?.code ?? row?.text ?? '' });
    default:
      return null;
  }
}

/** How many rows of a text there is room for. */
export const roomOf = (screen: Screen, { rows }: Size): number =>
  Math.max(1, rows - (screen.at === 'loop' ? LOOP_FRAME_ROWS : 2));

type LoopPlace = Extract<Screen, { at: 'loop' }>;

function onLoop(model: Model, screen: LoopPlace, { name }: Key, size: Size): Pressed | null {
  const { page } = model;
  const tab = TABS[Number(name) - 1];
  if (/^[1-5]$/.test(name) && tab !== undefined) return opened(screen.loop, tab, screen.scope);
  if (name === '[' || name === ']') return otherLoop(model, screen, name === '[' ? -1 : 1, size);
  if (screen.tab !== 'diff' || page === null) return null;
  switch (name) {
    case 'tab':
      return opened(screen.loop, 'diff', SCOPES[(SCOPES.indexOf(screen.scope) + 1) % SCOPES.length]);
    case 'v':
      return went({ page: { ...page, from: page.from === null ? page.cursor : null } });
    case 'c':
      if (placesIn(page).length > 0) return asks('comment', 'comment:');
      return told('a comment is about a line of a file: go to one first', true);
    case 'S':
      return sent(model, screen);
    default:
      return null;
  }
}

/** The lines that are meant: that of the cursor, or from where a range began. */
function placesIn(page: Page | null) {
  if (page === null) return [];
  const ends = [page.cursor, page.from ?? page.cursor];
  return page.rows
    .slice(Math.min(...ends), Math.max(...ends) + 1)
    .flatMap(({ place }) => (place === undefined ? [] : [place]));
}

function otherLoop(model: Model, screen: LoopPlace, step: 1 | -1, size: Size): Pressed {
  const loops = runRows(model, size).flatMap(({ loop }) => (loop === null ? [] : [loop]));
  const next = loops[(loops.indexOf(screen.loop) + step + loops.length) % loops.length];
  if (next === undefined || next === screen.loop) return told('there is no other loop');
  const { to, wish } = opened(next, screen.tab);
  return { to: { ...to, selected: next }, wish };
}

/** All comments on a loop go to it at once. */
function sent({ comments, page }: Model, { loop }: LoopPlace): Pressed {
  const own = comments.filter((one) => one.loop === loop);
  if (own.length === 0) return told('there is no comment to send: write one with c', true);
  // The code is read where the lines are.
  const input = own.map(({ path, side, first, last, text }) => ({ path, side, first, last, text }));
  const head = page?.commit ?? null;
  const words = ['review', loop, '--comments', '-', ...(head === null ? [] : ['--head', head])];
  return command('note', words, JSON.stringify(input));
}

/** Keys that do the same everywhere. */
function anywhere(model: Model, { name }: Key, size: Size): Pressed | null {
  const subject = subjectOf(model, size);
  const { loop } = subject;
  const spec = KEYS.find(({ key }) => key === name);
  const words = spec?.words?.(subject) ?? null;
  const missing = told('choose a loop first', true);
  switch (name) {
    case 'q':
      return wishes({ do: 'leave' });
    case '?':
      return went({
        screen: { at: 'keys', chosen: 0 },
        page: null,
        asked: { what: 'keys', prompt: 'keys:', text: '' },
      });
    case ':':
      return asks('command', ': ralph');
    case 't':
    case 'f':
      return loop === null ? missing : opened(loop.id, 'transcript');
    case 'd':
      return loop === null ? missing : opened(loop.id, 'diff');
    case 'v':
      return loop === null ? missing : opened(loop.id, 'diff', 'since you looked');
    case 'H':
      return loop === null ? missing : opened(loop.id, 'history');
    case 'w':
    case 'c':
    case 'T':
      return words === null ? missing : command('text', words);
    case 's':
      if (loop === null) return missing;
      return asks('say', isWorking(loop) ? `say to ${loop.id}:` : `send ${loop.id} back with:`);
    case 'X':
      return loop === null ? missing : asks('stop', `stop ${loop.id} now, in the middle of what it does? y:`);
    case 'ctrl-x':
      return loop === null ? missing : asks('discard', `to discard ${loop.id}, type its id:`);
    case 'W':
      return asks('workers', 'how many loops at once:');
    case '!':
      return loop === null ? missing : wishes({ do: 'shell', loop: loop.id });
    case 'y': {
      const text = subject.next ?? loop?.branch ?? null;
      return text === null ? missing : wishes({ do: 'copy', text });
    }
    case 'a':
      if (loop !== null && words === null) return told(`${loop.id} has nothing that could land now`, true);
      break;
    default:
      break;
  }
  if (spec?.words === undefined) return null;
  return words === null ? missing : command('note', words);
}

/** The keys and the command each stands for, as far as they fit what was typed. */
export function keyLines(
  model: Model,
  size: Size,
): readonly { readonly spec: KeySpec; readonly command: string | null }[] {
  const wanted = (model.asked?.what === 'keys' ? model.asked.text : '').toLowerCase();
  const subject = subjectOf({ ...model, screen: { at: 'run' } }, size);
  return KEYS.map((spec) => ({ spec, command: commandOf(spec, subject) })).filter(({ spec, command: typed_ }) =>
    `${spec.shown} ${spec.group} ${spec.does} ${typed_ ?? ''}`.toLowerCase().includes(wanted),
  );
}

import type { ReadStream, WriteStream } from 'node:tty';
import type { Repository } from '../../world/git/run/repository.ts';
import { factsOf } from './facts.ts';
import type { FactsAbout } from './facts.ts';
import { followRun } from './follow-run.ts';
import type { FollowedRun, WithTasks } from './follow-run.ts';
import { openLastWords } from './last-words.ts';
import type { Look } from './line.ts';
import type { Model, RunFacts } from './model.ts';
import { openPainter } from './painter.ts';
import { runRows } from './run-screen.ts';
import { openScreen } from './terminal.ts';
import type { Key } from './terminal.ts';
import { topRow, view, wholeView } from './view.ts';
import { displayWidth } from '../../text/screen/table.ts';
import { cleanText } from '../../text/screen/clean.ts';

/** What agents say is looked at this often. */
const LISTEN_MS = 400;

export interface Watched {
  readonly repo: Repository;
  readonly about: FactsAbout;
  readonly look: Look;
  readonly withTasks: WithTasks;
}

const START: Pick<Model, 'screen' | 'page' | 'selected' | 'top' | 'filter' | 'asked' | 'note'> = {
  screen: { at: 'run' },
  page: null,
  selected: null,
  top: 0,
  filter: '',
  asked: null,
  note: null,
};

/** One picture of it, all rows, however many. */
export async function pictureOf(
  { repo, about, look, withTasks }: Watched,
  columns: number,
): Promise<readonly string[]> {
  const run = await followRun(repo, withTasks);
  const { listen, words } = openLastWords(repo, Date.now);
  const facts = factsOf(run.state(), about, Date.now());
  listen(facts.work);
  return wholeView({ ...START, facts, nowMs: Date.now(), look, words }, columns);
}

/** The view, until somebody leaves it. */
export async function watchRun(
  { repo, about, look, withTasks }: Watched,
  { input, output }: { readonly input: ReadStream; readonly output: WriteStream },
): Promise<void> {
  const run: FollowedRun = await followRun(repo, withTasks);
  const ears = openLastWords(repo, Date.now);
  let facts: RunFacts = factsOf(run.state(), about, Date.now());
  let model: Omit<Model, 'facts' | 'nowMs' | 'words' | 'look'> = START;
  const ended = new AbortController();
  const now = (): Model => ({ ...model, facts, nowMs: Date.now(), look, words: ears.words });
  ears.listen(facts.work);

  const painter = openPainter({
    write: (text) => screen.write(text),
    nowMs: Date.now,
    isFull: (row) => displayWidth(cleanText(row)) >= screen.size().columns,
  });
  const paint = (byKey = false): void => painter.show(() => view(now(), screen.size()), byKey);
  const screen = await openScreen(input, output, {
    onKey: (key) => {
      const next = press(now(), key, screen.size());
      if (next === 'leave') return ended.abort();
      if (next === 'suspend') return screen.suspend();
      model = { ...model, ...next };
      paint(true);
    },
    onOther: () => {
      painter.forget();
      paint(true);
    },
  });
  paint(true);
  run.onChange(() => {
    facts = factsOf(run.state(), about, Date.now());
    paint();
  }, ended.signal);
  const timer = setInterval(() => {
    ears.listen(facts.work);
    paint();
  }, LISTEN_MS);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort());
  await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }));
  clearInterval(timer);
  painter.stop();
  await screen.close();
}

type Pressed = Partial<Model> | 'leave' | 'suspend';

function press(model: Model, key: Key, size: { readonly columns: number; readonly rows: number }): Pressed {
  if (key.ctrl && key.name === 'c') return 'leave';
  if (key.ctrl && key.name === 'z') return 'suspend';
  const rows = runRows(model, size);
  const keys = rows.flatMap(({ key: own }) => (own === null ? [] : [own]));
  const at = model.selected === null ? -1 : keys.indexOf(model.selected);
  const go = (to: number): Pressed => {
    const selected = keys[Math.max(0, Math.min(keys.length - 1, to))] ?? null;
    return { selected, top: topRow({ ...model, selected }, rows, size.rows - 2) };
  };
  switch (key.name) {
    case 'q':
      return 'leave';
    case 'j':
    case 'down':
      return go(at + 1);
    case 'k':
    case 'up':
      return go(at - 1);
    default:
      return {};
  }
}

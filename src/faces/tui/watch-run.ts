import { cleanLine, cleanText } from '../../text/screen/clean.ts';
import { displayWidth } from '../../text/screen/table.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { factsOf } from './facts.ts';
import type { FactsAbout } from './facts.ts';
import { followRun } from './follow-run.ts';
import type { WithTasks } from './follow-run.ts';
import { openLastWords } from './last-words.ts';
import type { Look } from './line.ts';
import { AT_RUN } from './model.ts';
import type { Model, RunFacts, Standpoint } from './model.ts';
import { openPainter } from './painter.ts';
import { press } from './press.ts';
import { opened } from './pressed.ts';
import type { Key } from './pressed.ts';
import { openGrants } from './grant-wish.ts';
import type { CommandPlace } from './grant-wish.ts';
import { openReading } from './read-page.ts';
import { runRows, staysChosen } from './run-screen.ts';
import type { Row } from './rows.ts';
import { openScreen } from './terminal.ts';
import { view, wholeView } from './view.ts';
import type { LoopId } from '../../core/model/ids.ts';

/** What agents say is looked at this often. */
const LISTEN_MS = 400;

export interface Watched {
  readonly repo: Repository;
  readonly about: FactsAbout;
  readonly look: Look;
  readonly withTasks: WithTasks;
}

export interface WatchPlace extends CommandPlace {
  /** Where keys come from: an open file. */
  readonly input: number;
  /** The loop whose changes are shown first; null: the run. */
  readonly first: LoopId | null;
}

/** One picture of it, all rows, however many. */
export async function pictureOf(
  { repo, about, look, withTasks }: Watched,
  columns: number,
): Promise<readonly string[]> {
  const run = await followRun(repo, withTasks);
  const { listen, words } = openLastWords(repo, Date.now);
  const facts = factsOf(run.state(), about, Date.now());
  listen(facts.work);
  return wholeView({ ...AT_RUN, facts, nowMs: Date.now(), look, words }, columns);
}

/** The view, until somebody leaves it. It reads; whatever it does it does by commands of its own processes. */
export async function watchRun(watched: Watched, place: WatchPlace): Promise<void> {
  const { repo, about, look, withTasks } = watched;
  const { input, output } = place;
  const run = await followRun(repo, withTasks);
  const ears = openLastWords(repo, Date.now);
  const ended = new AbortController();
  let facts: RunFacts = factsOf(run.state(), about, Date.now());
  let stand: Standpoint = AT_RUN;
  ears.listen(facts.work);

  const now = (): Model => ({ ...stand, facts, nowMs: Date.now(), look, words: ears.words });
  const painter = openPainter({
    write: (text) => screen.write(text),
    nowMs: Date.now,
    isFull: (row) => displayWidth(cleanText(row)) >= screen.size().columns,
  });
  const rows = (): readonly Row[] => runRows(now(), screen.size());
  const paint = (byKey = false): void => painter.show(() => view(now(), screen.size()), byKey);
  const go = (to: Partial<Standpoint>, byKey = true): void => {
    stand = { ...stand, ...to };
    paint(byKey);
  };
  const note = (text: string, isBad: boolean): void => go({ note: { text, isBad } });
  const redraw = (): void => {
    painter.forget();
    paint(true);
  };

  const reading = openReading(repo, { stand: () => stand, facts: () => facts, go });
  const grant = openGrants({
    place,
    stand: () => stand,
    facts: () => facts,
    screen: () => screen,
    go,
    note,
    read: reading.read,
    redraw,
    leave: () => ended.abort(),
  });
  const onKey = (key: Key): void => {
    const { to, wish } = press(now(), key, screen.size());
    go(to);
    if (wish !== null) void grant(wish).catch((error: unknown) => note(cleanLine(String(error)), true));
  };

  const screen = await openScreen(input, output, { onKey, onOther: redraw });
  if (place.first !== null) {
    stand = { ...stand, ...opened(place.first, 'diff', 'since you looked').to, selected: place.first };
    void reading.read();
  }
  paint(true);

  run.onChange(() => {
    const before = rows();
    facts = factsOf(run.state(), about, Date.now());
    // What comes above a row must not become what the next key acts on.
    stand = { ...stand, selected: staysChosen(stand.selected, before, rows()) };
    void reading.more(true);
    paint();
  }, ended.signal);
  const timer = setInterval(() => {
    ears.listen(facts.work);
    void reading.more(false);
    paint();
  }, LISTEN_MS);
  const leave = (): void => ended.abort();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, leave);
  await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }));
  clearInterval(timer);
  painter.stop();
  await screen.close();
}

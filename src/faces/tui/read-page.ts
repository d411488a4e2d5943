import type { Event } from '../../core/model/events.ts';
import { loopHistory } from '../../core/views/loop-history.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { logFolder } from '../../world/git/run/state-places.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { readLogOnly } from '../../world/log/file-log.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { clockTime } from '../../world/os/clock.ts';
import { historyLine } from '../call/history-line.ts';
import type { Style } from '../call/output.ts';
import type { Page, RunFacts, Screen, Standpoint } from './model.ts';
import { pageOf, textRow, withRows } from './page.ts';
import { readDiff } from './read-diff.ts';
import { gateRows, openTranscript, taskRows } from './transcript.ts';

const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String };

type LoopPlace = Extract<Screen, { at: 'loop' }>;

/** What is read for the part of a loop that is on the screen. */
interface OpenPage {
  readonly place: LoopPlace;
  readonly page: Page;
  /** The same with what came since; null: nothing did. `isLogNew`: the log says something new of it. */
  readonly again: (page: Page, facts: RunFacts, isLogNew: boolean) => Promise<Page | null>;
}

async function openPage(repo: Repository, facts: RunFacts, place: LoopPlace): Promise<OpenPage> {
  const loop = facts.state.loops[place.loop];
  const never = async (): Promise<null> => null;
  if (loop === undefined) return { place, page: pageOf([]), again: never };
  switch (place.tab) {
    case 'transcript': {
      const transcript = openTranscript(repo, loop.id);
      transcript.listen();
      transcript.recall(await recordsOf(repo));
      return {
        place,
        page: pageOf(transcript.rows(), true),
        again: async (page, _facts, isLogNew) => {
          const isHeard = transcript.listen();
          if (isLogNew) transcript.recall(await recordsOf(repo));
          return isHeard || isLogNew ? withRows(page, transcript.rows()) : null;
        },
      };
    }
    case 'diff': {
      const read = async ({ state, target }: RunFacts): Promise<Page> => {
        const now = state.loops[loop.id] ?? loop;
        const records = place.scope === 'last iteration' ? await recordsOf(repo) : [];
        return readDiff({ repo, state, loop: now, target, scope: place.scope, records });
      };
      // What somebody reads must not change under their eyes: they ask for it anew.
      return { place, page: await read(facts), again: never };
    }
    case 'gates':
      return {
        place,
        page: pageOf(gateRows(loop)),
        again: async (page, now, isLogNew) =>
          isLogNew ? withRows(page, gateRows(now.state.loops[loop.id] ?? loop)) : null,
      };
    case 'history': {
      const rows = async () =>
        loopHistory(await recordsOf(repo), loop.id).flatMap((entry) =>
          historyLine(entry, loop.id, PLAIN)
            .split('\n')
            .map((line, at) => textRow(at === 0 ? `${clockTime(entry.at)}  ${line}` : line)),
        );
      return {
        place,
        page: pageOf(await rows(), true),
        again: async (page, _facts, isLogNew) => (isLogNew ? withRows(page, await rows()) : null),
      };
    }
    case 'task':
      return { place, page: pageOf(taskRows(facts.state, loop)), again: never };
  }
}

/** From the first record on: a snapshot holds no past. */
const recordsOf = (repo: Repository): Promise<readonly Facts[]> => readLogOnly<Event>(logFolder(repo)).read(0);

interface Reader {
  readonly stand: () => Standpoint;
  readonly facts: () => RunFacts;
  readonly go: (to: Partial<Standpoint>, byKey?: boolean) => void;
}

/** Keeps what is read for the screen in step with where somebody is. */
export function openReading(repo: Repository, { stand, facts, go }: Reader) {
  let open: OpenPage | null = null;
  let isBusy = false;
  let isLogNew = false;

  /** The part of a loop that is to be shown; who has gone elsewhere meanwhile does not want it any more. */
  const read = async (): Promise<void> => {
    const wanted = stand().screen;
    if (wanted.at !== 'loop') return;
    try {
      const found = await openPage(repo, facts(), wanted);
      if (stand().screen !== wanted) return;
      open = found;
      go({ page: found.page });
    } catch (error) {
      if (stand().screen === wanted) go({ page: pageOf([textRow(cleanLine(String(error)), 'red')]) });
    }
  };

  /** What came since; the log may say something new while this reads. */
  const more = async (isNew: boolean): Promise<void> => {
    isLogNew ||= isNew;
    const was = open;
    const { page, screen } = stand();
    if (isBusy || was === null || page === null || screen !== was.place) return;
    isBusy = true;
    const isNewNow = isLogNew;
    isLogNew = false;
    const next = await was.again(page, facts(), isNewNow).catch(() => null);
    isBusy = false;
    const now = stand();
    if (next === null || now.screen !== was.place || now.page === null) return;
    // Somebody may have moved on in it meanwhile.
    const { cursor, top, isFollowing, search, from } = now.page;
    go({ page: isFollowing ? next : { ...next, cursor, top, isFollowing, search, from } }, false);
  };

  return { read, more };
}

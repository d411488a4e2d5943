import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { AppError } from '../../../core/model/errors.ts';
import type { IssueSettings } from '../../../core/model/settings.ts';
import type { Task } from '../../../core/model/task.ts';
import { GITHUB } from '../../../core/model/tasks.ts';
import type { Claims, Looked, Tracker } from '../../contract/tracker.ts';
import type { IssueCalls, IssuePlace } from './issue-calls.ts';
import { openIssueCalls } from './issue-calls.ts';
import { closeIssues, openIssueClaims } from './issue-claims.ts';
import type { ClaimPlace } from './issue-claims.ts';
import { lookAtIssues } from './issue-list.ts';
import type { SeenIssues } from './issue-list.ts';
import { createToldIssues } from './told-issues.ts';
import type { ToldIssues } from './told-issues.ts';

/** After news, doubling while nothing happens; what did not change costs nothing, and what does not come often is soon enough. */
const GAP_MIN_MS = 15_000;
const GAP_MAX_MS = 5 * 60_000;

export interface OpenedIssues extends IssuePlace {
  readonly settings: IssueSettings;
}

/** Opened at the first question: who asks nothing loads nothing, and needs no token. */
export function openIssueTracker(open: () => Promise<OpenedIssues>): Tracker {
  const told = createToldIssues();
  let under: Promise<void> | null = null;
  let reader: Promise<IssueReader> | null = null;
  let news: Looked | null = null;
  let shown = '';
  let said = '';
  const ready = (): Promise<IssueReader> => {
    reader ??= open().then((opened) => openReader(opened));
    reader.catch(() => (reader = null));
    return reader;
  };
  const read = (seen: SeenIssues): void => {
    said = '';
    const digest = digestOf(seen, told);
    if (digest === shown) return;
    shown = digest;
    news = { digest, tasks: seen.tasks };
  };
  const tell = (error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    // Told once: what loops do goes on meanwhile.
    if (error.message !== said) news = { problems: [error.message] };
    said = error.message;
  };
  const claims = lazyClaims(async () => openIssueClaims(claimPlace(await ready(), told)));
  return {
    path: GITHUB,
    look: async () => {
      if (shown === '') read(await (await ready()).seen());
      else
        under ??= ready()
          .then(async (one) => (one.isDue() ? read(await one.seen()) : undefined))
          .catch(tell)
          .finally(() => (under = null));
      const now = news;
      news = null;
      return now;
    },
    tick: () => Promise.resolve(null),
    close: async (landed) => {
      await closeIssues(claimPlace(await ready(), told), landed);
      return true;
    },
    claims,
  };
}

interface IssueReader extends OpenedIssues {
  readonly calls: IssueCalls;
  readonly seen: () => Promise<SeenIssues>;
  readonly last: () => SeenIssues | null;
  /** It is time for another look, and the forge lets us. */
  readonly isDue: () => boolean;
  readonly forget: () => void;
}

function openReader(opened: OpenedIssues): IssueReader {
  const calls = openIssueCalls(opened);
  let last: SeenIssues | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let gapMs = GAP_MIN_MS;
  return {
    ...opened,
    calls,
    last: () => last,
    isDue: () => {
      const { held, isScarce } = opened.client.budget();
      return held === null && !isScarce && performance.now() - lookedAtMs >= gapMs;
    },
    forget: () => void (gapMs = GAP_MIN_MS),
    seen: async () => {
      lookedAtMs = performance.now();
      const seen = await lookAtIssues(calls, opened.settings, `${opened.owner}/${opened.repo}`);
      const isSame = last !== null && JSON.stringify(last.issues) === JSON.stringify(seen.issues);
      gapMs = isSame ? Math.min(GAP_MAX_MS, gapMs * 2) : GAP_MIN_MS;
      last = seen;
      return seen;
    },
  };
}

const claimPlace = ({ calls, settings, last, forget }: IssueReader, told: ToldIssues): ClaimPlace => ({
  calls,
  told,
  labels: settings.labels,
  last,
  forget,
});

function lazyClaims(open: () => Promise<Claims>): Claims {
  return {
    quietMsMax: null,
    claim: async (hold) => (await open()).claim(hold),
    phase: async (hold, phase) => (await open()).phase(hold, phase),
    check: async (holds) => (await open()).check(holds),
    release: async (hold, why) => (await open()).release(hold, why),
    note: async (found) => (await open()).note(found),
    reopened: async (tasks) => (await open()).reopened(tasks),
    wrapUp: async () => (await open()).wrapUp?.(),
  };
}

const NOBODY: Pick<Task, 'claim' | 'status' | 'blockedReason'> = {
  claim: { by: null, phase: null },
  status: 'open',
  blockedReason: null,
};

/** Changes with all that decides about loops, but not with what this process has told GitHub itself. */
function digestOf({ tasks, work }: SeenIssues, told: ToldIssues): string {
  const wanted = tasks.map((task) =>
    told.isAsTold(task.id, work.get(Number(task.id))) ? { ...task, ...NOBODY } : task,
  );
  return createHash('sha256').update(JSON.stringify(wanted)).digest('hex');
}

import type { State } from '../model/model.ts';
import { taskIdOf } from '../model/tasks.ts';
import type { InboxAbout, InboxItem } from './inbox.ts';
import { inboxView } from './inbox.ts';
import { newsBetween } from './news.ts';

/** What a person may be told of while they look elsewhere: a loop or a landing waits for them, nothing can start, something landed, it is over. */
export type NoticeKind = 'needs-you' | 'held' | 'finished' | 'landed';

export interface Notice extends Pick<InboxItem, 'loop' | 'task' | 'state' | 'reason' | 'detail'> {
  readonly kind: NoticeKind;
  /** Told once. */
  readonly key: string;
  readonly next: string | null;
}

/** Several notices as one. */
export interface Notification {
  readonly version: 1;
  readonly kinds: readonly NoticeKind[];
  readonly title: string;
  readonly body: string;
  readonly items: readonly Omit<Notice, 'key'>[];
}

const NAMED_MAX = 5;
const ITEMS_MAX = 50;
const CHARS_MAX = 300;

/** What waits now, each with its key: what was told once is not told again. */
export function noticesIn(state: State, about: InboxAbout): readonly Notice[] {
  return inboxView(state, about).items.flatMap((item): readonly Notice[] => {
    // Who paused the queue knows.
    if (item.reason === 'paused') return [];
    const { loop, task, state: where, reason, detail, next, key, title } = item;
    const what = item.kind === 'stopped' ? `${title}: ${detail}` : detail;
    return [
      {
        kind: item.stops === 'start' ? 'held' : 'needs-you',
        key,
        loop,
        task,
        state: where,
        reason,
        detail: what,
        next,
      },
    ];
  });
}

/** Nothing that is shown in the inbox has changed, as far as can be seen without making it. */
export const looksSame = (a: State, b: State): boolean =>
  a.loops === b.loops &&
  a.landingTrouble === b.landingTrouble &&
  a.accounts === b.accounts &&
  a.bases === b.bases &&
  a.disk === b.disk &&
  a.hosts === b.hosts &&
  a.run === b.run &&
  a.publishing === b.publishing;

export const landedNotices = (before: State, after: State): readonly Notice[] =>
  newsBetween(before, after).flatMap((news): readonly Notice[] =>
    news.type === 'loop-landed'
      ? [
          {
            kind: 'landed',
            key: `landed:${news.loop}:${news.commit}`,
            loop: news.loop,
            task: taskIdOf(after, news.task),
            state: 'landed',
            reason: 'landed',
            detail: `as ${news.commit.slice(0, 10)}`,
            next: null,
          },
        ]
      : [],
  );

/** A run is over: how it went, in one line. */
export function finishedNotice(before: State, after: State, about: InboxAbout): Notice {
  const landed = Object.entries(after.landed).filter(([task, { commit }]) => {
    const was = Object.entries(before.landed).find(([other]) => other === task)?.[1];
    return was?.commit !== commit;
  }).length;
  const { needs_you: needs } = inboxView(after, about);
  const parts = [landed === 0 ? 'nothing landed' : `${landed} landed`];
  if (needs > 0) parts.push(`${needs} ${needs === 1 ? 'needs' : 'need'} you`);
  const detail = parts.join(', ');
  return {
    kind: 'finished',
    key: 'finished',
    loop: null,
    task: null,
    state: 'finished',
    reason: 'finished',
    detail,
    next: 'ralph report',
  };
}

/** One notification of everything that came together; what needs a person comes first. */
export function notificationOf(notices: readonly Notice[]): Notification {
  const order: readonly NoticeKind[] = ['finished', 'needs-you', 'held', 'landed'];
  const sorted = notices.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const kinds = order.filter((kind) => sorted.some((notice) => notice.kind === kind));
  const [first] = sorted;
  const named = sorted.slice(0, NAMED_MAX).map(describeNotice);
  const more = sorted.length - named.length;
  return {
    version: 1,
    kinds,
    title: sorted.length === 1 && first !== undefined ? describeNotice(first) : titleOf(sorted, kinds),
    body: [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
    items: sorted
      .slice(0, ITEMS_MAX)
      .map(({ key: _key, ...item }) => ({ ...item, detail: item.detail.slice(0, CHARS_MAX) })),
  };
}

function titleOf(notices: readonly Notice[], kinds: readonly NoticeKind[]): string {
  return kinds
    .map((kind) => {
      const count = notices.filter((notice) => notice.kind === kind).length;
      if (kind === 'finished') return notices.find((notice) => notice.kind === kind)?.detail ?? '';
      if (kind === 'needs-you') return `${count} ${count === 1 ? 'needs' : 'need'} you`;
      return kind === 'held' ? 'nothing can start' : `${count} landed`;
    })
    .join('; ');
}

function describeNotice({ kind, task, state, reason, detail, next }: Notice): string {
  const told = detail.slice(0, CHARS_MAX);
  if (kind === 'finished') return `the run is over: ${told}`;
  if (kind === 'landed') return `${task ?? ''} landed ${told}`;
  const what = task === null ? told : `${task} is ${state}${state === reason ? '' : ` (${reason})`}: ${told}`;
  return `${what}${next === null ? '' : `; next: ${next}`}`;
}

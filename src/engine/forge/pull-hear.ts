import type { CommentSeen } from '../../core/model/pull.ts';
import type { ReviewComment } from '../../core/model/landing.ts';
import type { Event } from '../../core/model/events.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { cleanLine, cleanText } from '../../text/screen/clean.ts';
import { loopOf } from './pull-context.ts';
import type { PullContext } from './pull-context.ts';

type Hear = Extract<PullWish, { readonly do: 'hear' }>;

/** What people said goes to the loop, each comment once, until it went back as often as it may. */
export function hearComments({ policy, ...context }: PullContext, { loop: id, comments }: Hear): readonly Event[] {
  const { pull, phase } = loopOf({ policy, ...context }, id);
  const rounds = policy.forge?.rounds ?? 0;
  if (phase.at === 'reviewing' && pull.rounds >= rounds) {
    const detail = `it went back ${rounds} times, and there are new comments on #${pull.number ?? 0}`;
    return [{ type: 'pull-parked', loop: id, head: null, why: 'rounds', detail }];
  }
  const said = comments.map(describe);
  return [
    { type: 'pull-heard', loop: id, comments: comments.map((one) => one.id) },
    ...(pull.head === null
      ? []
      : [{ type: 'loop-reviewed', loop: id, head: pull.head, verdict: 'changes', comments: said } as const]),
  ];
}

/** Prompts quote it: whoever wrote it may write to the repository, and tells an agent no more than what is to change. */
function describe({ by, path, line, text }: CommentSeen): ReviewComment {
  const words = `${cleanLine(by)} on the pull request: ${cleanText(text).trim()}`;
  if (path === null || line === null) return { text: path === null ? words : `${cleanLine(path)}: ${words}` };
  return { text: words, on: { path: cleanLine(path), side: 'new', first: line, last: line, code: '' } };
}

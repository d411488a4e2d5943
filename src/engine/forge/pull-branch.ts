import { invariant } from '../../core/model/assert.ts';
import type { Event } from '../../core/model/events.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { loopOf, mainNow, markingOf } from './pull-context.ts';
import type { PullContext, Pulled } from './pull-context.ts';

type Of<Do extends PullWish['do']> = Extract<PullWish, { readonly do: Do }>;

/** The head that is to be pushed, made of the work. */
export async function nameHead(context: PullContext, { loop: id, of, from }: Of<'name'>): Promise<readonly Event[]> {
  const loop = loopOf(context, id);
  const { git } = context.door;
  const { pushed } = loop.pull;
  // What others put on top of the same work stays; only the mark is missing.
  const work = loop.pull.of === of && from !== null ? from : of;
  const made = await git.name({ loop: id, title: loop.title, work, pushed, marking: markingOf(context, loop) });
  if ('head' in made) return [{ type: 'branch-named', loop: id, from, of, head: made.head, isTicked: true }];
  const detail = `what was pushed to ${loop.branch} and its new work do not merge: ${made.conflicts.join(', ')}`;
  return [{ type: 'pull-parked', loop: id, head: null, why: 'both-changed', detail }];
}

/** Only from where the log has it; what is elsewhere is another's, or ours with the answer lost. */
export async function pushHead(context: PullContext, wish: Of<'push'>): Promise<readonly Event[]> {
  const { loop: id, head, expected } = wish;
  const loop = loopOf(context, id);
  const { git } = context.door;
  const base = await mainNow(context);
  // Pushing what the base holds closes a pull request for good.
  if (base !== null && (await git.isAncestor(head, base)))
    return [{ type: 'pull-merged', loop: id, commit: base, isProved: false, isLeftOpen: true }];
  const now = await git.tipOf(loop.branch);
  if (now === head) return [{ type: 'branch-pushed', loop: id, head }];
  if (now !== expected) return [await whereItIs(context, loop, now)];
  const isPushed = await git.push({ branch: loop.branch, head, expected });
  return isPushed ? [{ type: 'branch-pushed', loop: id, head }] : [];
}

/** Between what was pushed last and what is to stand there, it is a push of ours whose answer was lost. */
async function whereItIs({ door: { git } }: PullContext, loop: Pulled, now: Pulled['head']): Promise<Event> {
  const { head: want, pushed } = loop.pull;
  invariant(want !== null, `loop ${loop.id} has no head to push`);
  const moved = { type: 'branch-moved', loop: loop.id, want, head: now } as const;
  if (now === null) return { ...moved, how: 'gone' };
  await git.fetch(loop.branch);
  const isAfter = pushed === null || (await git.isAncestor(pushed, now));
  return { ...moved, how: isAfter && (await git.isAncestor(now, want)) ? 'ours' : 'theirs' };
}

/** Another moved the branch. What they made counts; what both made is joined; what they took back is theirs to say. */
export async function takeHead(context: PullContext, { loop: id, head }: Of<'take'>): Promise<readonly Event[]> {
  const loop = loopOf(context, id);
  const { git } = context.door;
  const { pushed, of } = loop.pull;
  const theirs = await git.tipOf(loop.branch);
  const where = await whereItIs(context, loop, theirs);
  if (where.type !== 'branch-moved' || where.how !== 'theirs' || theirs === null || of === null) return [where];
  const isRewritten = pushed === null || !(await git.isAncestor(pushed, theirs));
  const park = (why: 'rewritten' | 'both-changed', detail: string): Event => ({
    type: 'pull-parked',
    loop: id,
    head,
    why,
    detail,
  });
  if (isRewritten && (pushed !== head || (await git.isAncestor(theirs, head))))
    return [park('rewritten', `${loop.branch} was rewritten on the remote, and there is work here that it lacks`)];
  const marking = markingOf(context, loop);
  const named = { type: 'branch-named', loop: id, from: head, of, theirs } as const;
  const isTicked = marking.id === null || (await git.isDone(theirs, marking));
  if (isRewritten || (await git.isAncestor(head, theirs))) return [{ ...named, head: theirs, isTicked }];
  const made = await git.name({ loop: id, title: loop.title, work: head, pushed: theirs, marking });
  if ('head' in made) return [{ ...named, head: made.head, isTicked: true }];
  return [
    park(
      'both-changed',
      `${loop.branch} has new commits here and on the remote that conflict: ${made.conflicts.join(', ')}`,
    ),
  ];
}

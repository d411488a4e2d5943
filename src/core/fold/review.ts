import { withLoop } from '../loops/draft.ts';
import { grantAnew } from '../model/grants.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { Sha } from '../model/ids.ts';
import type { ReviewPlace } from '../model/landing.ts';
import type { Guidance, Loop, ReviewComment, Rework, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { canBeQueued } from '../loops/landing-queue.ts';
import { sendBack, timesOf } from '../loops/rework.ts';
import { wantedBy } from '../loops/withdrawn.ts';
import { isTakenByAnother, movingCars, queueLoops, withoutCar } from './land.ts';
import { whyNotResumed } from './stop-loop.ts';

/** Why a person's word on a loop's work changes nothing. */
export type NotReviewed =
  | 'working'
  /** Integration moves past it at this moment. */
  | 'landing'
  | 'landed'
  /** The task has landed, or another loop works on it. */
  | 'taken'
  /** Put aside before it was done. */
  | 'unfinished'
  | 'tampered'
  | 'discarded'
  | 'reset';

type Reviewed = Extract<Event, { type: 'loop-reviewed' }>;

export function whyNotReviewed(state: State, loop: Loop, verdict: Reviewed['verdict']): NotReviewed | null {
  const { phase } = loop;
  if (phase.at === 'landed') return 'landed';
  if (isWorking(loop)) return verdict === 'approved' ? 'working' : null;
  if (isMoving(state, loop)) return 'landing';
  if (isTakenByAnother(state, loop)) return 'taken';
  const never = phase.at === 'parked' ? whyNotResumed(state, loop) : null;
  if (never === 'tampered' || never === 'discarded' || never === 'reset') return never;
  return verdict === 'changes' || phase.at === 'ready' || canBeQueued(loop) ? null : 'unfinished';
}

const isMoving = ({ landing }: State, { id }: Loop): boolean => {
  const at = landing === null ? -1 : landing.cars.findIndex((car) => car.loop === id);
  return at >= 0 && at < movingCars(landing);
};

/** A person's word on the work of a loop. What no longer fits (it landed meanwhile, or was thrown away) changes nothing. */
export function review(state: State, event: Reviewed, stamp: Stamp): State {
  const { head, verdict, comments } = event;
  const loop = state.loops[event.loop];
  if (loop === undefined || whyNotReviewed(state, loop, verdict) !== null) return state;
  const reviewed: Loop = { ...loop, reviewed: { head, verdict, at: stamp.at } };
  return verdict === 'approved'
    ? approve(state, reviewed, head, stamp)
    : askForChanges(state, reviewed, describeComments(comments), stamp);
}

/** Exactly this head lands. Another one that waits in its place does not. */
function approve(state: State, loop: Loop, head: Sha, stamp: Stamp): State {
  const { phase } = loop;
  if (phase.at !== 'ready' || !phase.queued) return queueLoops(withLoop(state, loop), [{ loop: loop.id, head }], stamp);
  if (loop.head === head) return withLoop(state, { ...loop, ...wantedBy(state, loop) });
  const free = withLoop(state, { ...loop, phase: { ...phase, queued: false } });
  return queueLoops({ ...free, landing: withoutCar(state.landing, loop.id) }, [{ loop: loop.id, head }], stamp);
}

/** Who works hears it with the next iteration; whoever is done goes back to work, and rides on no train. */
function askForChanges(state: State, loop: Loop, text: string, stamp: Stamp): State {
  const guidance: readonly Guidance[] = [...loop.guidance, { id: stamp.seq, text }];
  if (isWorking(loop)) {
    const { rework } = loop;
    const asked = rework?.asked === undefined ? rework : { ...rework, asked: [...rework.asked, text] };
    return withLoop(state, { ...loop, guidance, rework: asked });
  }
  const back: Loop = {
    ...sentBack(loop, text, stamp),
    ...wantedBy(state, loop),
    guidance,
    waitsFor: null,
    hostDied: false,
    granted: grantAnew(loop),
  };
  return withLoop({ ...state, landing: withoutCar(state.landing, loop.id) }, back);
}

/** What was put aside because it did not merge has to be merged besides; anything else is changed where it stands. */
function sentBack(loop: Loop, text: string, stamp: Stamp): Loop {
  const { phase, place } = loop;
  const isParked = phase.at === 'parked' && place.at === 'worktree';
  if (isParked && (phase.reason === 'conflict' || phase.reason === 'red')) {
    const { reason: kind, detail, paths } = phase;
    const back = sendBack(loop, { kind, by: 'owner', with: loop.clash?.with ?? [], paths, detail }, stamp);
    return back.rework === null ? back : { ...back, rework: { ...back.rework, asked: [text] } };
  }
  const rework: Rework = {
    kind: 'review',
    times: timesOf(loop, true) + 1,
    by: 'owner',
    with: [],
    paths: [],
    before: null,
    merged: null,
    countedBefore: loop.counted,
    detail: `a review asks for changes: ${firstLine(text)}`,
    asked: [text],
  };
  const anew = { phase: { at: 'preparing' }, worktree: null, worktreeState: 'none' } as const;
  const calm = { idleStreak: 0, failureStreak: 0, doneSaid: null, clash: null } as const;
  return { ...loop, ...anew, ...calm, host: null, since: stamp.at, rework };
}

const LINE_CHARS_MAX = 160;

function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const cut = first.slice(0, LINE_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, '');
  return lines.length > 1 || cut !== first ? `${cut} …` : cut;
}

/** All comments of one review, as its agent reads them. */
const describeComments = (comments: readonly ReviewComment[]): string =>
  comments
    .map(({ text, on }) => (on === undefined ? text : `${describePlace(on)}\n${indented(on.code)}${text}`))
    .join('\n\n');

function describePlace({ path, side, first, last }: ReviewPlace): string {
  const lines = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  return `${path}, ${lines}${side === 'old' ? ' of the old version' : ''}:`;
}

const indented = (code: string): string =>
  code === ''
    ? ''
    : `${code
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}\n`;

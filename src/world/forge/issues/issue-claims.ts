import type { LoopId } from '../../../core/model/ids.ts';
import { mark, readMark } from '../../../text/forge/marks.ts';
import { isAtWork, workComment } from '../../../text/forge/work-comment.ts';
import { BLOCKED, IN_PROGRESS, isEpic, PROPOSED } from '../../../text/trackers/issue-tasks.ts';
import type { Issue } from '../../../text/trackers/issue-tasks.ts';
import type { Claims, Closing, Found, Hold, NotHeld, TaskPhase } from '../../contract/tracker.ts';
import type { IssueCalls, WorkSaid } from './issue-calls.ts';
import type { SeenIssues } from './issue-list.ts';
import type { ToldIssues } from './told-issues.ts';

export interface ClaimPlace {
  readonly calls: IssueCalls;
  readonly told: ToldIssues;
  /** Labels that make an issue a task. */
  readonly labels: readonly string[];
  readonly last: () => SeenIssues | null;
  readonly forget: () => void;
}

/** Who works on what: a label, and one comment that is edited in place. Both go when the work is over. */
export function openIssueClaims(place: ClaimPlace): Claims {
  const { calls, told } = place;
  return {
    quietMsMax: null,
    claim: (hold) => claim(place, hold),
    phase: (hold, phase) => tellPhase(place, hold, phase),
    check: async (holds) => {
      const lost = new Map<LoopId, NotHeld>();
      for (const hold of holds) {
        const why = deviation(await calls.get(numberOf(hold)), await calls.work(numberOf(hold)), hold);
        if (why !== null) lost.set(hold.loop, told.lost(hold, why));
      }
      return lost;
    },
    release: async (hold, why) => {
      told.forget(hold);
      const issue = await calls.get(numberOf(hold));
      if (issue?.isOpen === true) await giveBack(calls, issue, hold, why);
    },
    note: (found) => propose(place, found),
    reopened: async (tasks) => {
      const open: (typeof tasks)[number][] = [];
      for (const task of tasks) if ((await calls.get(Number(task)))?.isOpen === true) open.push(task);
      return open;
    },
    wrapUp: () => closeEpics(place),
  };
}

const numberOf = ({ task }: Pick<Hold, 'task'>): number => Number(task);

async function claim({ calls, told, forget }: ClaimPlace, hold: Hold): Promise<NotHeld | null> {
  const number = numberOf(hold);
  const issue = await calls.get(number);
  const before = await calls.work(number);
  const [first] = before;
  const why = issue === null ? GONE : unclaimable(issue, first, hold);
  if (why !== null) return told.lost(hold, why);
  const text = workComment({ ...hold, phase: 'working', detail: '' });
  if (first === undefined) await calls.say(number, text);
  else if (first.actor !== hold.actor || first.phase !== 'working') await calls.rewrite(first.id, text);
  if (issue?.labels.includes(IN_PROGRESS) !== true) await calls.label(number, IN_PROGRESS);
  // Another clone may have said the same in this very moment: the oldest comment counts, and the younger ones go.
  const [winner, ...younger] = await calls.work(number);
  for (const { id, actor } of younger) if (actor === hold.actor) await calls.unsay(id);
  if (winner?.actor !== hold.actor)
    return told.lost(hold, winner === undefined ? GONE : { why: `${winner.actor} has it on GitHub`, isFree: false });
  told.remember(hold, 'working');
  forget();
  return null;
}

const GONE: NotHeld = { why: 'it is gone from GitHub', isFree: false };

function unclaimable({ isOpen, labels }: Issue, work: WorkSaid | undefined, { actor }: Hold): NotHeld | null {
  if (!isOpen) return { why: 'it was closed on GitHub', isFree: false };
  if (labels.includes(BLOCKED)) return { why: 'it was labelled blocked on GitHub', isFree: false };
  if (!labels.includes(IN_PROGRESS)) return null;
  if (work === undefined || !isAtWork(work)) return { why: `it is labelled ${IN_PROGRESS} on GitHub`, isFree: false };
  return work.actor === actor ? null : { why: `${work.actor} has it on GitHub`, isFree: false };
}

/** Why a loop does not have an issue, or no more. */
function deviation(issue: Issue | null, [work]: readonly WorkSaid[], { actor }: Hold): NotHeld | null {
  if (issue === null) return GONE;
  if (!issue.isOpen) return { why: 'it was closed on GitHub', isFree: false };
  if (issue.labels.includes(BLOCKED)) return { why: 'it was labelled blocked on GitHub', isFree: false };
  if (!issue.labels.includes(IN_PROGRESS))
    return { why: `its label ${IN_PROGRESS} was taken off on GitHub`, isFree: true };
  if (work === undefined) return { why: 'the comment about its loop was deleted on GitHub', isFree: true };
  return work.actor === actor && isAtWork(work)
    ? null
    : { why: `${work.actor} has it on GitHub`, isFree: work.phase === 'free' };
}

/** What is green is told as waiting, for a landing or for a review. */
function saidAs(phase: TaskPhase): 'working' | 'committed' | 'merged' {
  if (phase === 'spawned' || phase === 'working') return 'working';
  return phase === 'merged' ? 'merged' : 'committed';
}

/** Nothing is asked where nothing was told and the list still shows what was told last. */
async function tellPhase({ calls, told, last }: ClaimPlace, hold: Hold, phase: TaskPhase): Promise<NotHeld | null> {
  const number = numberOf(hold);
  const wanted = saidAs(phase);
  const known = told.of(hold);
  if (known?.phase === wanted) {
    const seen = last();
    const issue = seen?.issues.find((one) => one.number === number);
    const isNewer = seen !== null && seen.atMs > known.atMs;
    const isAsTold = issue?.isOpen === true && issue.labels.includes(IN_PROGRESS) && !issue.labels.includes(BLOCKED);
    if (!isNewer || isAsTold) return null;
  }
  const work = await calls.work(number);
  const gone = deviation(await calls.get(number), work, hold);
  if (gone !== null) return told.lost(hold, gone);
  const [said] = work;
  if (said !== undefined && said.phase !== wanted)
    await calls.rewrite(said.id, workComment({ ...hold, phase: wanted, detail: '' }));
  told.remember(hold, wanted);
  return null;
}

async function giveBack(calls: IssueCalls, { number, labels }: Issue, hold: Hold, why: string): Promise<void> {
  const [said] = await calls.work(number);
  if (said === undefined || said.actor !== hold.actor) return;
  if (isAtWork(said)) await calls.rewrite(said.id, workComment({ ...hold, phase: 'free', detail: why }));
  if (labels.includes(IN_PROGRESS)) await calls.unlabel(number, IN_PROGRESS);
}

/** Closed by us, whatever branch it landed on: words in a commit close an issue only on the default branch. */
export async function closeIssues({ calls, forget }: ClaimPlace, landed: readonly Closing[]): Promise<void> {
  for (const { hold, reason } of landed) {
    const number = numberOf(hold);
    const issue = await calls.get(number);
    if (issue === null) continue;
    const [said] = await calls.work(number);
    const text = workComment({ ...hold, phase: 'merged', detail: reason });
    if (said === undefined) {
      if (issue.isOpen) await calls.say(number, text);
    } else if (said.phase !== 'merged' || said.actor !== hold.actor) await calls.rewrite(said.id, text);
    if (issue.labels.includes(IN_PROGRESS)) await calls.unlabel(number, IN_PROGRESS);
    if (issue.isOpen) await calls.setOpen(number, false);
  }
  forget();
}

/** What a loop found is written down once, and left alone until a person takes its label off. */
async function propose({ calls, labels, forget }: ClaimPlace, found: readonly Found[]): Promise<void> {
  const known = new Set((await calls.list([PROPOSED])).map(({ body }) => readMark(body)));
  for (const { mark: name, title, body, from } of found) {
    if (known.has(`found:${name}`)) continue;
    const comesFrom = from === null ? '' : `Found while working on #${from}.`;
    const text = [body, comesFrom, mark(`found:${name}`)].filter((part) => part.trim() !== '').join('\n\n');
    await calls.create({ title, body: text, labels: [...labels, PROPOSED] });
  }
  forget();
}

/** Epics are closed when all of their parts are. */
async function closeEpics({ calls, last }: ClaimPlace): Promise<void> {
  const epics = (last()?.issues ?? []).filter((issue) => issue.isOpen && isEpic(issue) && issue.parts > 0);
  for (const { number } of epics) {
    const parts = await calls.partsOf(number);
    if (parts.length > 0 && parts.every(({ isOpen }) => !isOpen)) await calls.setOpen(number, false);
  }
}

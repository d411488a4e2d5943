import type { ErrorCode } from '../model/errors.ts';
import { AppError } from '../model/errors.ts';
import { whyNotReviewed } from '../fold/review.ts';
import { whyNotResumed } from '../fold/stop-loop.ts';
import { canBeQueued } from '../loops/landing-queue.ts';
import type { Loop, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { shellWord } from '../model/shell-word.ts';
import { isPromptTask, taskIdOf } from '../model/tasks.ts';
import { isWithdrawn } from '../loops/withdrawn.ts';
import { describeStanding, standing } from './standing.ts';

/** What a person may do with a loop, in the order in which it is offered. */
export type ActName =
  | 'land'
  | 'resume'
  | 'steer'
  | 'stop'
  | 'bump'
  | 'eject'
  | 'rebase'
  | 'review'
  | 'publish'
  | 'diff'
  | 'logs'
  | 'reset'
  | 'discard';

export interface Act {
  readonly name: ActName;
  readonly command: string;
  /** Why not now; null: it may be done. */
  readonly refusal: Refusal | null;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts: readonly string[];
  readonly remedy: string;
}

/** What may be done with a loop and what may not, each with its command. */
export function actsOf(state: State, loop: Loop): readonly Act[] {
  const [id, task] = [shellWord(loop.id), shellWord(taskIdOf(state, loop.task))];
  const commands: Readonly<Record<ActName, string>> = {
    land: `ralph land ${id}`,
    resume: `ralph loops resume ${id}`,
    steer: `ralph loops steer ${id} "what it should know"`,
    stop: `ralph loops stop ${id}`,
    bump: `ralph queue bump ${id}`,
    eject: `ralph queue eject ${id}`,
    rebase: `ralph loops rebase ${id}`,
    review: `ralph review ${id}`,
    publish: `ralph loops publish-review ${id}`,
    diff: `ralph loops diff ${id}`,
    logs: `ralph loops logs ${id}`,
    reset: `ralph tasks reset ${task}`,
    discard: `ralph loops discard ${id}`,
  };
  return (Object.keys(commands) as ActName[]).map((name) => {
    const why = WHY_NOT[name](state, loop);
    return { name, command: commands[name], refusal: why === null ? null : refusal(state, loop, why) };
  });
}

/** The commands that may help, behind the one that most likely does. */
export function otherCommands(state: State, loop: Loop): readonly string[] {
  const { next } = standing(state, loop);
  return actsOf(state, loop).flatMap(({ command, refusal: no }) =>
    no !== null || next.startsWith(command) ? [] : [command],
  );
}

/** Refuses in words what may not be done now. */
export function requireAct(state: State, loop: Loop, name: ActName): void {
  const no = actsOf(state, loop).find((act) => act.name === name)?.refusal ?? null;
  if (no !== null) throw new AppError(no.code, no.message, no);
}

interface WhyNot {
  readonly code: ErrorCode;
  /** Of the loop: `does not work any more`. */
  readonly says: string;
  readonly facts?: readonly string[];
  readonly remedy?: string;
}

function refusal(state: State, loop: Loop, { code, says, facts = [], remedy }: WhyNot): Refusal {
  const stands = standing(state, loop);
  return {
    code,
    message: `loop ${loop.id} ${says}: it is ${describeStanding(stands)}`,
    facts,
    remedy: remedy ?? stands.next,
  };
}

const isQueued = (state: State, loop: Loop): boolean =>
  loop.phase.at === 'ready' && loop.phase.queued && !isWithdrawn(state, loop);

const isOver = ({ phase }: Loop): boolean =>
  phase.at === 'landed' || (phase.at === 'parked' && phase.reason === 'discarded');

const notQueued = (state: State, loop: Loop): WhyNot | null =>
  isQueued(state, loop)
    ? null
    : {
        code: 'E_USAGE',
        says: 'is not in the queue',
        remedy: canBeQueued(loop) ? standing(state, loop).next : 'ralph queue',
      };

const WHY_NOT: Readonly<Record<ActName, (state: State, loop: Loop) => WhyNot | null>> = {
  land: (_, loop) =>
    canBeQueued(loop) || loop.phase.at === 'ready'
      ? null
      : { code: isOver(loop) ? 'E_LOOP_ENDED' : 'E_USAGE', says: 'is not ready to land' },
  resume: notResumed,
  steer: (_, loop) =>
    isWorking(loop) || loop.phase.at === 'waiting'
      ? null
      : {
          code: 'E_LOOP_ENDED',
          says: 'does not work any more',
          facts: ['only a working loop can be steered; put what the next loop should know into the task or a memory'],
        },
  stop: (_, loop) =>
    isWorking(loop) || loop.phase.at === 'waiting' ? null : { code: 'E_LOOP_ENDED', says: 'does not work' },
  bump: notQueued,
  eject: (state, loop) =>
    notQueued(state, loop) ??
    (state.landing?.stage.at === 'advancing' ? { code: 'E_BUSY', says: 'may be landing at this moment' } : null),
  rebase: (_, loop) => (canBeQueued(loop) ? null : { code: 'E_USAGE', says: 'does not wait to be landed' }),
  review: (state, loop) => {
    const why = whyNotReviewed(state, loop, 'approved');
    if (why === null) return null;
    return { code: why === 'working' || why === 'landing' ? 'E_BUSY' : 'E_LOOP_ENDED', says: 'cannot be approved' };
  },
  publish: (_, loop) => {
    if (isWorking(loop))
      return { code: 'E_BUSY', says: 'still works', remedy: `ralph loops stop ${shellWord(loop.id)}` };
    return isOver(loop)
      ? { code: 'E_LOOP_ENDED', says: 'has nothing to review', remedy: `ralph loops diff ${shellWord(loop.id)}` }
      : null;
  },
  diff: () => null,
  logs: () => null,
  reset: (state, loop) => {
    if (isPromptTask(loop.task)) return { code: 'E_USAGE', says: 'works on a prompt, which is in no task list' };
    return state.landed[loop.task] === undefined
      ? null
      : {
          code: 'E_USAGE',
          says: 'has nothing to free',
          facts: ['--again does its task again, on top of what has landed'],
          remedy: `ralph tasks reset ${shellWord(taskIdOf(state, loop.task))} --again`,
        };
  },
  discard: (_, { phase }) =>
    phase.at === 'landed'
      ? {
          code: 'E_LOOP_ENDED',
          says: 'has landed, and its work is no longer its own',
          remedy: `git revert -m 1 ${phase.commit.slice(0, 12)}`,
        }
      : phase.at === 'parked' && phase.reason === 'discarded'
        ? { code: 'E_LOOP_ENDED', says: 'was discarded before' }
        : null,
};

/** Interrupted, it goes on as it is; nobody has to let it. */
function notResumed(state: State, loop: Loop): WhyNot | null {
  const why = whyNotResumed(state, loop);
  const task = shellWord(taskIdOf(state, loop.task));
  switch (why) {
    case null:
      return null;
    case 'working':
      return loop.host === null ? null : { code: 'E_BUSY', says: 'is already at work' };
    case 'ready':
    case 'done':
      return { code: 'E_LOOP_ENDED', says: 'is done', remedy: `ralph land ${shellWord(loop.id)}` };
    case 'landed':
      return { code: 'E_LOOP_ENDED', says: 'cannot resume' };
    case 'taken':
      return {
        code: 'E_LOOP_ENDED',
        says: 'cannot resume: its task has landed or another loop works on it',
        remedy: `ralph tasks show ${task}`,
      };
    case 'tampered':
      return { code: 'E_LOOP_ENDED', says: 'cannot resume', remedy: `ralph tasks reset ${task}` };
    case 'discarded':
      return { code: 'E_LOOP_ENDED', says: 'cannot resume', remedy: 'ralph undo' };
    case 'reset':
      return { code: 'E_LOOP_ENDED', says: 'cannot resume', remedy: 'ralph run --parallel' };
  }
}

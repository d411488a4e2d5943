import type { Event } from '../../core/model/events.ts';
import { AppError } from '../../core/model/errors.ts';
import type { LoopId, TaskId } from '../../core/model/ids.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { triedOn } from '../../core/loops/waiting.ts';
import { isOver, trackerOf } from '../../core/model/tasks.ts';
import { findOne } from '../call/find-one.ts';
import { readState } from '../call/project.ts';
import { writeFacts } from '../call/write-facts.ts';
import type { Answer } from '../call/handler.ts';
import { callerRepository, checkCaller, requireClaim } from './caller.ts';
import type { Caller, CallerPlace } from './caller.ts';
import { PROGRESS_CHARS_MAX, cutNotice, saidLine, saidOrNothing, saidText } from '../call/said-text.ts';

interface InLoop {
  readonly loop: LoopId;
  readonly iteration: number;
}

const TITLE_CHARS_MAX = 200;

/** How far it is, for whoever watches. */
export async function progress(
  place: CallerPlace,
  words: readonly string[],
): Promise<Answer<InLoop & { readonly progress: string }>> {
  const said = saidLine(words, PROGRESS_CHARS_MAX, 'progress', 'ralph progress "what is done, what comes next"');
  const { loop, n } = await speak(place, 'progress', 'ralph status', (caller) =>
    // Agents repeat themselves; the log need not.
    caller.loop.progress === said.text
      ? null
      : { type: 'loop-progressed', loop: caller.loop.id, n: caller.n, text: said.text },
  );
  return { says: [`noted${cutNotice(said)}`], data: { loop: loop.id, iteration: n, progress: said.text } };
}

/** It cannot go on without a person. */
export async function block(
  place: CallerPlace,
  words: readonly string[],
): Promise<Answer<InLoop & { readonly blocked: string }>> {
  const said = saidText(words, 'block', 'ralph block "what is missing and who could give it"');
  const { loop, n } = await speak(place, 'block', 'ralph tasks reset <id>', (caller) => ({
    type: 'loop-blocked',
    loop: caller.loop.id,
    n: caller.n,
    why: said.text,
  }));
  return {
    says: [`noted${cutNotice(said)}: end your turn now, a person is asked`],
    data: { loop: loop.id, iteration: n, blocked: said.text },
  };
}

/** It cannot do anything before other tasks have landed. */
export async function wait(
  place: CallerPlace,
  words: readonly string[],
): Promise<Answer<InLoop & { readonly waits_for: readonly string[] }>> {
  const ids = words.flatMap((word) => word.split(/[\s,]+/u)).filter((id) => id !== '');
  if (ids.length === 0)
    throw new AppError('E_USAGE', 'ralph wait needs the id of a task', { remedy: 'ralph wait first-id second-id' });
  const repo = callerRepository(place);
  const { loop, n } = await speak(place, 'wait', 'ralph why <id>', (caller, state) => ({
    type: 'loop-lacks',
    loop: caller.loop.id,
    n: caller.n,
    tasks: ids.map((id) => lackOf(state, caller.loop, id)),
  }));
  const state = await readState(repo);
  const waits_for = (state.loops[loop.id]?.lacks?.tasks ?? []).map(String);
  return {
    says: [`noted: change nothing and end your turn now; it begins again when ${waits_for.join(', ')} has landed`],
    data: { loop: loop.id, iteration: n, waits_for },
  };
}

/** Another task of the same list that may still land. */
function lackOf(state: State, loop: Loop, id: string): TaskId {
  const tracker = trackerOf(state, loop.task);
  const tasks = state.trackers[tracker]?.tasks ?? [];
  const found = findOne(tasks, (task) => [task.id], id, 'task', 'ralph task show');
  const key = taskKey(tracker, found.id);
  if (key === loop.task)
    throw new AppError('E_USAGE', `${found.id} is this very task, which cannot wait for itself`, {
      remedy: 'ralph block "what is missing and who could give it"',
    });
  const landed = state.landed[key];
  const isHere = landed !== undefined && (landed.n ?? 0) <= triedOn(state, loop.base).landings;
  if (isHere || (landed === undefined && isOver(state, key)))
    throw new AppError('E_USAGE', `${found.id} is done already, and what it made is here`, {
      remedy: `ralph task show ${shellWord(found.id)}`,
    });
  return found.id;
}

/** It believes the task is done. The gates decide. */
export async function done(
  place: CallerPlace,
  words: readonly string[],
): Promise<Answer<InLoop & { readonly summary: string }>> {
  const said = saidOrNothing(words.join(' '));
  const { loop, n } = await speak(place, 'done', 'ralph land <id>', (caller) => ({
    type: 'loop-done',
    loop: caller.loop.id,
    n: caller.n,
    summary: said.text,
  }));
  return {
    says: [`noted${cutNotice(said)}: end your turn now, the gates decide`],
    data: { loop: loop.id, iteration: n, summary: said.text },
  };
}

/** Something it found that somebody should do, and that is not its task. */
export async function proposeTask(
  place: CallerPlace,
  title: readonly string[],
  body: string,
): Promise<Answer<InLoop & { readonly title: string; readonly body: string }>> {
  const usage = 'ralph task add "a title" --body "why, and what is known"';
  const name = saidLine(title, TITLE_CHARS_MAX, 'the title', usage);
  const rest = saidOrNothing(body);
  const { loop, n } = await speak(place, 'task add', '$EDITOR PRD.md', (caller) => ({
    type: 'task-proposed',
    loop: caller.loop.id,
    title: name.text,
    body: rest.text,
  }));
  return {
    says: [`noted${cutNotice(name, rest)}: a person decides about it; continue with your own task`],
    data: { loop: loop.id, iteration: n, title: name.text, body: rest.text },
  };
}

/** One fact, written in the name of the caller if it still is one at that very moment; no fact: nothing to write. */
async function speak(
  place: CallerPlace,
  verb: string,
  forPeople: string,
  factOf: (caller: Caller, state: State) => Event | null,
): Promise<Caller> {
  const claim = requireClaim(place, verb, forPeople);
  const repo = callerRepository(place);
  const now = await readState(repo);
  const caller = checkCaller(repo, now, claim);
  if (factOf(caller, now) === null) return caller;
  await writeFacts(repo, async (state) => {
    const fact = factOf(checkCaller(repo, state, claim), state);
    return fact === null ? [] : [fact];
  });
  return caller;
}

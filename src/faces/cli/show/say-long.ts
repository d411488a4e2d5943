import type { Loop, ProcessMark, State } from '../../../core/model/model.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Output } from '../../call/output.ts';

/** A person who waits longer than this asks themselves whether it hangs. */
const LONG_MS = 1000;

/** Says what goes on if it takes longer than a moment. */
export async function sayIfLong<T>(out: Output, text: string, act: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => out.say(text), LONG_MS);
  try {
    return await act();
  } finally {
    clearTimeout(timer);
  }
}

interface LongTelling {
  readonly look: (state: State) => void;
  readonly stop: () => void;
}

/** Says of what this host does, and what nothing is heard of until it is over, that it goes on: once each, after a moment. */
export function openLongTelling(say: (line: string) => void, own: ProcessMark): LongTelling {
  let state: State | null = null;
  let last: ReadonlyMap<string, string> = new Map();
  const told = new Set<string>();
  const timer = setInterval(() => {
    const now: ReadonlyMap<string, string> = state === null ? new Map() : silent(state, own);
    for (const [key, line] of now)
      if (last.has(key) && !told.has(key)) {
        told.add(key);
        say(line);
      }
    last = now;
  }, LONG_MS);
  timer.unref();
  return {
    look: (next) => {
      state = next;
    },
    stop: () => clearInterval(timer),
  };
}

function silent(state: State, own: ProcessMark): ReadonlyMap<string, string> {
  const isOwn = (id: Loop['host']): boolean => id !== null && state.hosts[id]?.mark.pid === own.pid;
  const name = (loop: Loop): string => cleanLine(taskIdOf(state, loop.task));
  const lines = new Map<string, string>();
  for (const loop of loopsOf(state)) {
    if (!isOwn(loop.host)) continue;
    const key = `${loop.id} ${loop.phase.at} ${loop.iteration}`;
    if (loop.phase.at === 'preparing') lines.set(key, `${name(loop)}: its worktree is made and set up`);
    if (loop.phase.at === 'gating') lines.set(key, `${name(loop)}: its gates run`);
    if (loop.phase.at === 'updating') lines.set(key, `${name(loop)}: main is merged into its worktree`);
  }
  const { landing } = state;
  if (landing === null || !isOwn(landing.host)) return lines;
  for (const { commit, again } of landing.runs) {
    const cars = landing.cars.slice(0, landing.cars.findIndex((car) => car.commit === commit) + 1);
    const names = cars.flatMap(({ loop }) => {
      const found = loop === null ? undefined : state.loops[loop];
      return found === undefined ? [] : [name(found)];
    });
    const what = names.length === 0 ? 'main itself' : `main with ${names.join(', ')}`;
    lines.set(`${commit} ${again}`, `the gates run on ${what}`);
  }
  return lines;
}

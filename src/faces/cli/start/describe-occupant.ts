import { shortLine } from '../../../text/screen/clean.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';

const PROMPT_CHARS = 60;

/** Who loops here, in one line. */
export function describeOccupant(occupant: Occupant): string {
  if (occupant.kind === 'loop') {
    const { loop, pid, started, prompt } = occupant.holder;
    const words = shortLine(prompt, PROMPT_CHARS);
    return `loop ${shortLine(loop, PROMPT_CHARS)} works in ${occupant.checkout} since ${shortLine(started, 30)} (process ${pid}: ${words})`;
  }
  const { file, state, problem } = occupant.found;
  if (state === null) return `a ralph-loop state file is here that cannot be read: ${problem}`;
  const of = state.maxIterations === null ? '' : ` of ${state.maxIterations}`;
  return `a ralph-loop is in iteration ${state.iteration}${of} (${file}: ${shortLine(state.prompt, PROMPT_CHARS)})`;
}

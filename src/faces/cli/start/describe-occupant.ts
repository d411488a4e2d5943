import { shortLine } from '../../../text/screen/clean.ts';
import { inLocalTime } from '../../../world/os/clock.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';

const PROMPT_CHARS = 60;

/** What to call whoever loops here. */
export function nameOccupant(occupant: Occupant): string {
  if (occupant.kind === 'loop') return `loop ${shortLine(occupant.holder.loop, PROMPT_CHARS)}`;
  const { feature } = occupant.found;
  return feature === null ? 'the ralph-loop' : shortLine(feature, PROMPT_CHARS);
}

/** Who loops here, in one line. */
export function describeOccupant(occupant: Occupant): string {
  if (occupant.kind === 'loop') {
    const { pid, started, prompt } = occupant.holder;
    const words = shortLine(prompt, PROMPT_CHARS);
    const since = inLocalTime(shortLine(started, 30));
    return `${nameOccupant(occupant)} works in ${occupant.checkout} since ${since} (process ${pid}: ${words})`;
  }
  const { file, feature, state, problem } = occupant.found;
  const name = feature === null ? 'a ralph-loop' : `ralph-loop ${nameOccupant(occupant)}`;
  if (state === null) return `${name} has a state file here that cannot be read: ${problem}`;
  const of = state.maxIterations === null ? '' : ` of ${state.maxIterations}`;
  return `${name} is in iteration ${state.iteration}${of} (${file}: ${shortLine(state.prompt, PROMPT_CHARS)})`;
}

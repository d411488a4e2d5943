import { shellWord } from '../../../core/model/shell-word.ts';
import { keepAside } from '../../../world/start/who-loops.ts';
import { stopHolder } from '../../../world/start/stop-holder.ts';
import { nameOccupant } from './describe-occupant.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';
import type { Call } from '../../call/handler.ts';

/** Beside the time an agent has to end, for everything that is written down. */
const LAST_WORK_MS = 30_000;

/** Stops whoever loops here; nothing of theirs is lost. */
export async function makeRoom({ out }: Call, occupants: readonly Occupant[], graceMs: number): Promise<void> {
  for (const occupant of occupants) {
    if (occupant.kind === 'ralph-loop') {
      const kept = keepAside(occupant.found.file, new Date());
      out.say(`${nameOccupant(occupant)} ends at its next stop; its state is kept: ${kept}`);
      continue;
    }
    const { loop } = occupant.holder;
    out.say(`stopping loop ${loop}`);
    await stopHolder(occupant.holder, graceMs + LAST_WORK_MS);
    out.say(`loop ${loop} has stopped and is kept; to resume it: ralph run --continue --loop-id ${shellWord(loop)}`);
  }
}

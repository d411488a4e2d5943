import { readAgentFile } from './agent-run/agent-file.ts';
import type { AgentPlace } from './agent-run/agent-place.ts';
import { finishAgent } from './agent-run/finish-agent.ts';
import { canTalk, putMessage } from './agent-run/inbox.ts';
import { startAgent } from './agent-run/start-agent.ts';
import { openLoopLog } from './agent-run/loop-log.ts';
import type { LoopLog } from './agent-run/loop-log.ts';
import { reach } from './failpoint.ts';
import { layNotes } from './notes/lay-notes.ts';
import { takeNotes } from './notes/take-notes.ts';
import { readShim } from './processes/shim.ts';
import { runFolder, workerLog } from './state-places.ts';
import type { Agents, Iteration } from './world.ts';

export type { AgentPlace } from './agent-run/agent-place.ts';

/** Runs agents as processes of their own that outlive us; their bytes go to files, never through us. */
export function openAgents(place: AgentPlace): Agents {
  const folderOf = ({ loop, n }: Iteration): string => runFolder(place.repo, loop, n);
  const logOf = ({ slot, task }: Iteration): LoopLog =>
    openLoopLog(workerLog(place.repo, slot, task), () => place.clock.nowMs());
  return {
    wasStarted: (iteration) => readShim(folderOf(iteration)).state !== 'absent',
    start: async (iteration, order) => {
      reach('iter.start');
      await layNotes(place.repo, iteration, folderOf(iteration));
      await startAgent(place, folderOf(iteration), iteration, order);
      reach('run.after_identity');
      logOf(iteration).note(`iteration ${iteration.n} of ${iteration.loop} started in ${iteration.cwd}`);
    },
    steer: (iteration, { id, text }) => {
      const dir = folderOf(iteration);
      if (!canTalk(dir) || readShim(dir).state !== 'running') return false;
      // After an adoption the caller no longer knows what the prompt held.
      return id <= readAgentFile(dir).guided || putMessage(dir, String(id), { type: 'steer', text });
    },
    finish: async (iteration, options) => {
      const dir = folderOf(iteration);
      const result = await finishAgent(place, dir, logOf(iteration), options);
      takeNotes(place.repo, iteration, dir);
      return result;
    },
  };
}

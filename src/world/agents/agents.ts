import { readAgentFile } from './run/agent-file.ts';
import { finishAgent } from './run/finish-agent.ts';
import { canTalk, putMessage } from './run/inbox.ts';
import { startAgent } from './run/start-agent.ts';
import { openLoopLog } from '../worktrees/loop-log.ts';
import { reach } from '../os/failpoint.ts';
import { commitLines } from '../git/objects/history.ts';
import { plainView } from '../git/run/view.ts';
import { layNotes, takeNotes } from '../notes/lay-notes.ts';
import { readShim } from '../processes/shim.ts';
import { runFolder, workerLog } from '../git/run/state-places.ts';
import type { AgentPlace } from './run/agent-place.ts';
import type { LoopLog } from '../worktrees/loop-log.ts';
import type { Agents, Iteration } from '../contract/world.ts';

export type { AgentPlace } from './run/agent-place.ts';

/** Of each iteration; who makes more knows them by its branch. */
const COMMITS_MAX = 100;

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
    noteCommits: async (iteration, from, to) => {
      // A log is a convenience: nothing fails for want of it.
      const made = await commitLines(plainView(place.repo), { from, to }, COMMITS_MAX).catch(() => []);
      for (const line of made) logOf(iteration).note(`commit ${line}`);
    },
    finish: async (iteration, options) => {
      const dir = folderOf(iteration);
      const result = await finishAgent(place, dir, logOf(iteration), options);
      takeNotes(place.repo, iteration, dir);
      return result;
    },
  };
}

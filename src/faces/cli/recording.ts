import { resolve } from 'node:path';
import { loopId } from '../../core/ids.ts';
import type { Loop, State } from '../../core/model.ts';
import type { Settings } from '../../core/settings.ts';
import { shellWord } from '../../core/remedy.ts';
import type { ChosenAgent } from '../../world/choose-agent.ts';
import { openView } from '../../world/git/view.ts';
import { checkRecordFile } from '../../world/record/record-file.ts';
import { recordLoop } from '../../world/record/record-loop.ts';
import { replayAgent } from '../../world/record/replay-agent.ts';
import type { Call } from './handler.ts';
import type { Project } from './project.ts';
import { howMany } from '../../core/how-many.ts';

export interface Recording {
  /** The prompt of the record that is played again; null: none is. */
  readonly prompt: string | null;
  readonly title: string | null;
  /** Who plays it, instead of those of the settings. */
  readonly agents: { readonly agents?: readonly ChosenAgent[] };
  /** What was set when it was recorded and must be so again. */
  readonly settings: Partial<Pick<Settings, 'completionPromise'>>;
  keep(project: Project, state: State, loop: string): Promise<void>;
}

/** What `--record` and `--replay` ask for, and whether it can be had, before anything is started. */
export function openRecording(call: Call): Recording {
  const played = pathOf(call, 'replay');
  const target = pathOf(call, 'record');
  if (target !== null) checkRecordFile(target);
  const replay = played === null ? null : replayAgent(played);
  return {
    prompt: replay?.record.header.prompt ?? null,
    title: replay?.record.header.title ?? null,
    agents: replay === null ? {} : { agents: [{ name: 'replay', settings: replay.agent }] },
    settings: replay === null ? {} : { completionPromise: replay.record.header.promise },
    keep: async ({ repo, config }, state, loop) => {
      if (target === null || state.loops[loopId(loop)] === undefined) return;
      const view = await openView(repo);
      const promise = replay?.record.header.promise ?? config.settings.completionPromise;
      const { iterations } = await recordLoop({ repo, view, state, loop: loopId(loop), file: target, promise });
      const again = againCommand(state.loops[loopId(loop)], target);
      call.out.say(`recorded ${howMany(iterations, 'iteration')}; again without the agent: ${again}`);
    },
  };
}

/** What has landed cannot be done once more on top of itself: there it begins where it began. */
function againCommand(loop: Loop | undefined, file: string): string {
  const replay = `--replay ${shellWord(file)}`;
  if (loop?.phase.at !== 'landed' || loop.base === null) return `ralph run ${replay}`;
  const branch = shellWord(`replay/${loop.id}`);
  return `git branch ${branch} ${loop.base.slice(0, 12)} && ralph run --worktree --target ${branch} ${replay}`;
}

function pathOf(call: Call, flag: 'record' | 'replay'): string | null {
  const file = call.flags[flag];
  return typeof file === 'string' ? resolve(call.cwd, file) : null;
}

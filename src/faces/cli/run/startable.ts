import type { TaskId } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { isPromptTracker, taskIdOf } from '../../../core/model/tasks.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { runPolicy } from './policy.ts';

const EVERY_SLOT = 10_000;

interface Asked {
  readonly tracker: string;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
}

/** Tasks that could start now if there were a slot, the most urgent first. */
export function startable(state: State, { tracker, settings, env }: Asked): readonly TaskId[] {
  if (isPromptTracker(tracker)) return [];
  const policy = runPolicy({ settings, tracker, target: '', agents: [], resolver: null, env });
  return planRun(state, { ...policy, slots: EVERY_SLOT }).starts.map((start) => taskIdOf(state, start.task));
}

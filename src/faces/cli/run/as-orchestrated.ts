import { withBeadsFirst } from '../../../world/trackers/find-source.ts';
import type { Project } from '../../call/project.ts';

const AGENTS_MAX = 4;
const BRANCH = 'agent/<task>';
const FOLDER = '../worktrees/<task>';

/** What `ralph orchestrate` does where nobody set it: side by side, landing by itself, and all that it makes is named after its task. */
export function asOrchestrated(project: Project): Project {
  const { config } = project;
  const { parallel } = config.settings;
  const isSet = (key: string): boolean => (config.origins.get(key)?.kind ?? 'default') !== 'default';
  const settings = {
    ...withBeadsFirst(project.repo, config.settings),
    parallel: {
      ...parallel,
      enabled: true,
      maxWorkers: isSet('parallel.max_workers') ? parallel.maxWorkers : AGENTS_MAX,
      mergePolicy: isSet('parallel.merge_policy') ? parallel.mergePolicy : ('auto_merge' as const),
      branch: parallel.branch ?? BRANCH,
      worktreePath: parallel.worktreePath ?? FOLDER,
    },
  };
  return { ...project, config: { ...config, settings } };
}

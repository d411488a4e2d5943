import { AppError } from '../../../core/model/errors.ts';
import { findForge } from '../../../world/forge/find-forge.ts';
import { withBeadsFirst } from '../../../world/trackers/find-source.ts';
import type { Project } from '../../call/project.ts';

const AGENTS_MAX = 4;
const BRANCH = 'agent/<task>';
const FOLDER = '../worktrees/<task>';

/**
 * What `ralph orchestrate` does where nobody set it: side by side, and all that it makes is named after its task. It delivers by pull
 * request where there is a forge and a token, and merges these itself, so that what depends on others can follow; else it lands. `policy`: what holds where none was written; null: one task alone.
 */
export function asOrchestrated(project: Project, policy: UnsetPolicy | null = null): Project {
  const { config } = project;
  const { parallel, forge } = config.settings;
  const isSet = (key: string): boolean => (config.origins.get(key)?.kind ?? 'default') !== 'default';
  const settings = {
    ...withBeadsFirst(project.repo, config.settings),
    parallel: {
      ...parallel,
      enabled: true,
      maxWorkers: isSet('parallel.max_workers') ? parallel.maxWorkers : AGENTS_MAX,
      mergePolicy: isSet('parallel.merge_policy') ? parallel.mergePolicy : (policy ?? 'auto_merge'),
      branch: parallel.branch ?? BRANCH,
      worktreePath: parallel.worktreePath ?? FOLDER,
    },
    forge: { ...forge, merge: policy === null || isSet('forge.merge') ? forge.merge : ('merger' as const) },
  };
  return { ...project, config: { ...config, settings } };
}

type UnsetPolicy = 'auto_merge' | 'pr';

/** Nothing is asked but the settings, the remote and the environment. */
export async function unsetPolicy({ repo, config }: Project, env: NodeJS.ProcessEnv): Promise<UnsetPolicy> {
  try {
    await findForge({ repo, settings: config.settings.forge, env });
    return 'pr';
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_NO_FORGE') return 'auto_merge';
    throw error;
  }
}

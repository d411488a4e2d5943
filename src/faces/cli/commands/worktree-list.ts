import { resolve } from 'node:path';
import { listFeatures } from '../../../world/feature/feature-status.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import type { FeatureView } from '../show/feature-view.ts';
import { featureState, featureView } from '../show/feature-view.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';

/** Every worktree: yours, those made for you, and those of loops. Changes nothing. */
export const handle: Handler<{ readonly worktrees: readonly FeatureView[] }> = async (call) => {
  const { repo, config } = await openProject(call);
  const found = await listFeatures(repo, { target: config.settings.landing.target });
  const worktreeRoot = resolve(repo.root, config.settings.parallel.worktreeRoot);
  const ours = await ourWorktrees({ repo, view: plainView(repo), state: await readState(repo), worktreeRoot });
  const spare = new Set(ours.flatMap(({ path, isSpare }) => (isSpare ? [path] : [])));
  const shown = found.map((status) => ({ status, view: featureView(repo, status, spare.has(status.path)) }));
  const rows = shown.map(({ status, view }) => [
    view.current ? '*' : '',
    view.name,
    view.branch ?? 'detached',
    view.kind,
    featureState(status, view.spare),
    view.path,
  ]);
  return {
    data: { worktrees: shown.map((one) => one.view) },
    text: columns([['', 'NAME', 'BRANCH', 'KIND', 'STATE', 'FOLDER'], ...rows], call.out.width),
  };
};

import { EXIT } from '../../../core/errors.ts';
import { listFeatures } from '../../../world/feature/feature-status.ts';
import { featureState, featureView } from '../feature-view.ts';
import type { Handler } from '../handler.ts';
import { columns } from '../output.ts';
import { openProject } from '../project.ts';

/** Every worktree: yours, those made for you, and those of loops. Changes nothing. */
export const handle: Handler = async (call) => {
  const { repo, config } = await openProject(call);
  const found = await listFeatures(repo, { target: config.settings.landing.target });
  const shown = found.map((status) => ({ status, view: featureView(repo, status) }));
  if (call.flags['json'] === true) {
    call.out.json({ version: 1, worktrees: shown.map((one) => one.view) });
    return EXIT.ok;
  }
  const rows = shown.map(({ status, view }) => [
    view.current ? '*' : '',
    view.name,
    view.branch ?? 'detached',
    view.kind,
    featureState(status),
    view.path,
  ]);
  call.out.data(columns([['', 'NAME', 'BRANCH', 'KIND', 'STATE', 'FOLDER'], ...rows]));
  return EXIT.ok;
};

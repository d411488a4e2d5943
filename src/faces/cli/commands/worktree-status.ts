import { cleanLine } from '../../../text/screen/clean.ts';
import { type FeatureStatus, listFeatures } from '../../../world/feature/feature-status.ts';
import type { Distance } from '../../../world/feature/unlanded.ts';
import type { FeatureView } from '../show/feature-view.ts';
import { featureState, featureView, findFeature } from '../show/feature-view.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject } from '../../call/project.ts';
import { howMany } from '../../../core/model/describe-time.ts';

/** What one worktree holds. True without an upstream too: what counts is where work lands. Changes nothing. */
export const handle: Handler<{ readonly worktree: FeatureView }> = async (call) => {
  const { repo, config } = await openProject(call);
  const found = await listFeatures(repo, { target: config.settings.landing.target });
  const status = findFeature(repo, found, call.args[0] ?? '.', call.cwd);
  return {
    data: { worktree: featureView(repo, status) },
    text: columns(rowsOf(status)).split('\n').map(cleanLine).join('\n'),
  };
};

function rowsOf(status: FeatureStatus): readonly (readonly string[])[] {
  const { name, path, branch, target, upstream, unlanded, locked, note, base, head } = status;
  const landed =
    unlanded === null
      ? 'unknown'
      : unlanded === 0
        ? base === head
          ? 'nothing: no commits yet'
          : 'all'
        : unlanded === 1
          ? 'all but 1 commit'
          : `all but ${howMany(unlanded, 'commit')}`;
  const rows = [
    ['name', name],
    ['folder', path],
    ['branch', branch ?? 'none: HEAD is detached'],
    ['state', featureState(status)],
    ['landed', landed],
    ['target', target === null ? 'none' : `${target.name}, ${apart(target)}`],
    ['upstream', upstream === null ? 'none' : `${upstream.name}, ${upstream.isGone ? 'gone' : apart(upstream)}`],
  ];
  if (locked !== null) rows.push(['locked', locked === '' ? 'yes' : locked]);
  if (note !== null) rows.push(['ports', `${note.portBase} to ${note.portBase + note.portStep - 1}`]);
  return rows;
}

const apart = ({ ahead, behind }: Distance): string =>
  ahead + behind === 0 ? 'the same' : `${ahead} ahead, ${behind} behind`;

import { basename } from 'node:path';
import { cleanLoops } from '../run/take-worktrees.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { cleanFeatures } from '../../../world/feature/remove-feature.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface Gone {
  readonly name: string;
  readonly path: string;
  readonly branch: string | null;
  /** The id of what was kept; null: nothing was, or nothing went yet. */
  readonly kept: string | null;
}

interface Cleaned {
  readonly dry_run: boolean;
  readonly removed: readonly Gone[];
  readonly stays: readonly (Omit<Gone, 'kept'> & { readonly why: string })[];
}

/** Removes what was made for people or loops and has landed; what people made themselves is theirs. */
export const handle: Handler<Cleaned> = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, 'worktree clean');
  const project = await openProject(call);
  const { repo, config } = project;
  if (!isDryRun) await healWorktreeEntries(repo);
  const { removed, stays } = await cleanFeatures(repo, { settings: config.settings, isDryRun });
  const loops = await cleanLoops(project, isDryRun);
  const gone = [
    ...removed.map((one) => ({
      name: one.name,
      path: one.path,
      branch: one.branch,
      kept: 'kept' in one ? one.kept : null,
    })),
    ...loops.gone.map(({ path, branch, loop, kept }) => ({ name: loop ?? basename(path), path, branch, kept })),
  ];
  const left = [...stays, ...loops.stays.map((one) => ({ name: basename(one.path), ...one }))];
  const says = [
    ...gone.map(({ name, path }) => cleanLine(`${isDryRun ? 'would remove' : 'removed'} ${name}: ${path}`)),
    ...left.map(({ name, why }) => cleanLine(`${name} stays: ${why}`)),
    ...(gone.length === 0 ? ['nothing to clean'] : isDryRun ? [] : ['to restore them: ralph undo']),
  ];
  return { data: { dry_run: isDryRun, removed: gone, stays: left }, says, error: loops.failed };
};

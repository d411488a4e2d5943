import { realpathLoose } from '../git/files/worktree-admin.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';

/** Commands of these names that an agent ran in a folder. */
export function commandsIn(
  folder: string,
  trace: readonly GitCommand[],
  names: ReadonlySet<string>,
): readonly GitCommand[] {
  const real = realpathLoose(folder);
  return trace.filter(({ name, worktree }) => names.has(name) && worktree !== null && realpathLoose(worktree) === real);
}

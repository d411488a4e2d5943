import type { Sha } from '../../core/model/ids.ts';
import type { Rework } from '../../core/model/model.ts';
import type { World } from '../../world/contract/world.ts';

/**
 * What is left of the conflicts that came with main: markers, by file and line, and files that conflict without any
 * (images, a deletion against a change) and are still as the merge left them, so that nobody has decided.
 */
export async function findUnresolved(world: World, rework: Rework, head: Sha): Promise<readonly string[]> {
  const { merged, paths } = rework;
  if (merged === null || paths.length === 0) return [];
  const markers = await world.worktrees.markers(head, paths);
  if (markers.length > 0) return markers;
  const marked = await world.worktrees.markers(merged, paths);
  const silent = paths.filter((path) => !marked.some((place) => place.startsWith(`${path}:`)));
  if (silent.length === 0) return [];
  const changed = await world.worktrees.changed(merged, head);
  return silent.filter((path) => !changed.includes(path));
}

import { howMany } from '../../core/model/describe-time.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { findTask } from '../../core/model/tasks.ts';
import { protectedBy } from '../../text/protected-paths.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import type { PerformContext } from './perform-context.ts';

const NAMED_MAX = 3;

/** What of `landing.auto` a loop does not fit, in words; null: it lands as everything does. */
export async function beyondAuto(
  { world, state, landing }: Pick<PerformContext, 'world' | 'state' | 'landing'>,
  loop: Loop,
  { base, head, changed }: { readonly base: Sha; readonly head: Sha; readonly changed: readonly string[] },
): Promise<string | null> {
  const { paths, maxLines, labels } = landing.auto;
  if (paths.length > 0) {
    const inside = new Set(protectedBy(changed, paths));
    const outside = changed.filter((path) => !inside.has(path));
    if (outside.length > 0) return `changes ${named(outside)}, which landing.auto.paths does not name`;
  }
  if (maxLines !== null) {
    const { count, uncounted } = await world.worktrees.lines(base, head);
    if (count > maxLines) return `changes ${howMany(count, 'line')}, and landing.auto.max_lines is ${maxLines}`;
    if (uncounted.length > 0) return `changes ${named(uncounted)}, whose lines landing.auto.max_lines cannot count`;
  }
  const own = findTask(state(), loop.task)?.labels ?? [];
  const isLabelled = labels.length === 0 || labels.some((label) => own.includes(label));
  return isLabelled
    ? null
    : `is for a task without a label of landing.auto.labels (${labels.map(cleanLine).join(', ')})`;
}

function named(paths: readonly string[]): string {
  const more = paths.length - NAMED_MAX;
  return `${paths.slice(0, NAMED_MAX).map(cleanLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

import type { LoopId } from '../../../src/core/model/ids.ts';
import type { Foreseen } from '../../../src/core/model/model.ts';
import type { Foresight } from '../../../src/world/contract/world.ts';
import type { Realm } from './realm.ts';

/** What is committed and will not merge: with main, and of those that merge with main, with each other. */
export function foresee(
  { git }: Realm,
  { integration, loops }: Parameters<Foresight['look']>[0],
): Readonly<Record<LoopId, readonly Foreseen[]>> {
  const found: Record<LoopId, Foreseen[]> = {};
  const note = (loop: LoopId, other: LoopId | null, paths: readonly string[]): void => {
    (found[loop] ??= []).push({ with: other, paths });
  };
  const fitting = loops.filter(({ loop, head }) => {
    const merged = git.merge(integration, head);
    if ('conflicts' in merged) note(loop, null, merged.conflicts);
    return 'tokens' in merged;
  });
  for (const one of fitting)
    for (const other of fitting) {
      const merged = one === other ? null : git.merge(one.head, other.head);
      if (merged !== null && 'conflicts' in merged) note(one.loop, other.loop, merged.conflicts);
    }
  return found;
}

import type { LoopId } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { isWorking, loopsOf } from '../../core/model/model.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import type { PromptFacts } from '../../text/prompt/facts.ts';
import type { PromptContext } from './perform-context.ts';

/** In less than this an agent touches little, and asking costs starts of git: neither the young are asked, nor anybody twice. */
const OTHERS_AFTER_MS = 5000;
const OTHERS_MAX = 8;

type Around = PromptContext['world'];

interface Asked {
  readonly atMs: number;
  readonly paths: Promise<readonly string[]>;
}

/** A hundred loops that start together all ask about the same few. */
const askedIn = new WeakMap<Around, Map<LoopId, Asked>>();

/** What the loops beside this one have changed so far. */
export async function othersTouched({ world, state }: PromptContext, loop: Loop): Promise<PromptFacts['others']> {
  const nowMs = world.clock.nowMs();
  const others = loopsOf(state()).filter(
    (other) => other.id !== loop.id && isWorking(other) && nowMs - other.claimedAt >= OTHERS_AFTER_MS,
  );
  const found = await Promise.all(
    others.slice(0, OTHERS_MAX).map(async (other) => {
      const paths = await touchedBy(world, other);
      return paths.map((path) => ({ path, task: taskIdOf(state(), other.task) }));
    }),
  );
  return found.flat();
}

async function touchedBy(world: Around, { id, worktree, base }: Loop): Promise<readonly string[]> {
  if (worktree === null || base === null) return [];
  const asked = askedIn.get(world) ?? new Map<LoopId, Asked>();
  askedIn.set(world, asked);
  const nowMs = world.clock.awakeMs();
  for (const [other, { atMs }] of asked) if (nowMs - atMs >= OTHERS_AFTER_MS) asked.delete(other);
  const known = asked.get(id);
  if (known !== undefined) return known.paths;
  const paths = world.worktrees.touched(worktree, base).catch(() => []);
  asked.set(id, { atMs: nowMs, paths });
  return paths;
}

import { dirname, join } from 'node:path';
import { loopId, taskId } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import { readJsonFile } from '../os/files.ts';
import { openSealsOf } from '../git/run/open-seals.ts';
import type { OpenSeal } from '../git/run/open-seals.ts';
import { readRef } from '../git/refs/refs.ts';
import type { Fingerprint } from './fingerprint.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { readFingerprint } from './fingerprint.ts';
import { readTrace } from '../git/trace/git-trace.ts';
import { openIsAlone } from './other-runs.ts';
import { findMovedRef } from './refs-moved.ts';
import { writtenMs } from './scene.ts';
import type { Scene, SealPlace } from './scene.ts';
import { openTold } from './told.ts';
import { publish } from '../checkout/publish.ts';
import { withMutex } from '../processes/mutex.ts';
import { lockFile } from '../git/run/state-places.ts';
import type { Published } from '../contract/outcomes.ts';
import type { World } from '../contract/world.ts';

/** Written when an iteration was checked: first what was found, and again when that was put back. */
export const BREACH = 'breach.json';

/** A ref that stands where an agent put it. */
interface Leak {
  /** Where it stood when that agent began; null: there was none. */
  readonly from: Sha | null;
}

type Place = Pick<SealPlace, 'repo' | 'view'>;

/** Traces are long, and the same question is asked with every train. */
const ANSWERS_MAX = 500;
const answers = new Map<string, boolean>();

/**
 * Whether a ref stands where an agent put it that nobody has checked yet. Until then it must not be taken for the user's own
 * work: it would be landed, and published over what the check puts back.
 */
export async function findLeak(place: Place, ref: string): Promise<Leak | null> {
  const seals = openSealsOf(place.repo.commonDir);
  if (seals.length === 0) return null;
  const now = await readRef(place.view, ref);
  for (const seal of seals) {
    if (isDone(seal)) continue;
    const before = readFingerprint(seal.dir);
    if (before === null || before.refs[ref] === (now ?? undefined)) continue;
    const question = [seal.dir, seal.atMs, ref, now, writtenMs(join(place.repo.commonDir, ref))].join(' ');
    const answer = answers.get(question) ?? (await didMove(place, seal, before, { ref, now }));
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(question, answer);
    if (answer) return { from: before.refs[ref] ?? null };
  }
  return null;
}

/** Also a host that dies at it leaves what it had found, and the ref where the agent put it. */
const isDone = ({ dir }: OpenSeal): boolean =>
  (readJsonFile(join(dir, BREACH)) as { readonly isDone?: boolean } | null)?.isDone === true;

async function didMove(
  place: Place,
  { loop, n, dir }: OpenSeal,
  before: Fingerprint,
  { ref, now }: { readonly ref: string; readonly now: Sha | null },
): Promise<boolean> {
  const iteration = { loop: loopId(loop), task: taskId('unknown'), n, slot: 0, cwd: ownWorktree(before) };
  const { [ref]: _, ...others } = before.refs;
  const scene: Scene = {
    place: { ...place, identity: { name: '', email: '' }, ignored: [], made: [], worktreeRoot: dirname(iteration.cwd) },
    iteration,
    branch: '',
    before,
    after: {
      ...before,
      refs: now === null ? others : { ...others, [ref]: now },
      head: textIfThere(join(place.repo.commonDir, 'HEAD')),
    },
    trace: await readTrace(dir),
    made: new Set(),
    fromMs: before.atMs,
    toMs: Date.now(),
    told: openTold(dir),
    programmed: () => false,
    isAlone: openIsAlone(place.repo, iteration),
    isTaken: () => false,
  };
  return findMovedRef(scene, ref)?.isLast === true;
}

const ownWorktree = ({ own, worktrees }: Fingerprint): string =>
  (own === null ? null : worktrees[own.adminDir]?.path) ?? '/';

/** Publishes, unless the branch stands where an agent moved it: then that is put back first. */
export function openPublish(place: Pick<SealPlace, 'repo' | 'view'>, target: string): World['publish'] {
  const { repo, view } = place;
  return (to) =>
    withMutex(lockFile(repo, 'publish'), async () =>
      (await findLeak(place, `refs/heads/${target}`)) === null ? publish(repo, view, { target, to }) : moved(target),
    );
}

const moved = (target: string): Published => ({
  outcome: 'blocked',
  why: `an agent moved ${target} from inside its worktree; once its iteration is over that is put back, and this is tried again`,
  paths: [],
});

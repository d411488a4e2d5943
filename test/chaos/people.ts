import type { Random } from '../sim/model/random.ts';
import { gitSays } from '../e2e/harness/git.ts';
import type { Programs, Scene } from './scene.ts';
import type { Tally } from './tally.ts';
import { bugIn, loopsNow, parsed, tellRalph } from './tell-ralph.ts';
import type { LoopLine, Told } from './tell-ralph.ts';

/** People who stop loops, let them go on, throw them away, and want them back. */
export interface People {
  /** Does one thing to one loop, chosen by chance; resolves when the command is over. */
  readonly act: (random: Random) => Promise<void>;
  /** Lets everything go on that somebody stopped; resolves with how much that was. */
  readonly resumeAll: () => Promise<number>;
  /** Tasks whose loop was thrown away and that nobody freed. */
  readonly discarded: ReadonlySet<string>;
  readonly complaints: () => readonly string[];
}

const ACTS = ['stop', 'stop', 'stopNow', 'stopNow', 'resume', 'resume', 'resume', 'discard', 'discard'] as const;
type PeopleAct = (typeof ACTS)[number];
/** What each can be done to. */
const FITS: Readonly<Record<PeopleAct, readonly string[]>> = {
  stop: ['at-work', 'host-stopped', 'host-died', 'suspended'],
  stopNow: ['at-work', 'host-stopped', 'host-died', 'suspended'],
  resume: ['you', 'host-stopped', 'host-died', 'parked'],
  discard: ['at-work', 'host-stopped', 'host-died', 'you', 'parked', 'queued'],
};

interface Acting {
  readonly scene: Scene;
  readonly programs: Programs;
  readonly tally: Tally;
  readonly discarded: Set<string>;
  /** Branches that came back, and where they must stay. */
  readonly restored: Map<string, string>;
  readonly wrong: string[];
}

export function makePeople(scene: Scene, programs: Programs, tally: Tally): People {
  const me: Acting = { scene, programs, tally, discarded: new Set(), restored: new Map(), wrong: [] };
  return {
    discarded: me.discarded,
    act: async (random) => {
      const [act, whom, frees] = [random.pick(ACTS), random.next(), random.chance(0.6)];
      const fitting =
        (await loopsNow(scene, programs))?.filter(({ state, reason }) =>
          FITS[act].some((word) => word === state || word === reason),
        ) ?? [];
      const loop = fitting[Math.floor(whom * fitting.length)];
      if (loop !== undefined) await perform(me, act, loop, frees);
    },
    resumeAll: async () => {
      const stopped = (await loopsNow(scene, programs))?.filter(({ reason }) => reason === 'you') ?? [];
      for (const { id } of stopped) await tell(me, 'loops', 'resume', id);
      return stopped.length;
    },
    complaints: () => [
      ...me.wrong,
      ...[...me.restored]
        .filter(
          ([branch, commit]) =>
            !gitSays(scene.git, 'rev-parse', '--verify', '--quiet', branch) ||
            scene.git('rev-parse', branch) !== commit,
        )
        .map(([branch, commit]) => `the user's ${branch}, which they had restored, is not at ${commit} any more`),
    ],
  };
}

async function perform(me: Acting, act: PeopleAct, loop: LoopLine, frees: boolean): Promise<void> {
  me.tally.add(`people ${act}`);
  switch (act) {
    case 'stop':
      await tell(me, 'loops', 'stop', loop.id);
      return;
    case 'stopNow':
      await tell(me, 'loops', 'stop', loop.id, '--force');
      return;
    case 'resume':
      await tell(me, 'loops', 'resume', loop.id);
      return;
    case 'discard':
      await discard(me, loop, frees);
  }
}

async function tell(me: Acting, ...words: string[]): Promise<Told> {
  const told = await tellRalph(me.scene, me.programs, ...words);
  me.wrong.push(...bugIn(told, words));
  return told;
}

/** Killed half-way it may have been thrown away all the same, so that counts from when it is asked for. */
async function discard(me: Acting, { id, task }: LoopLine, frees: boolean): Promise<void> {
  me.discarded.add(task);
  const gone = await tell(me, 'loops', 'discard', id, '--force', '-y', '--json');
  const kept = gone.code === 0 ? (parsed<{ kept: string | null }>(gone.stdout)?.kept ?? null) : null;
  if (kept !== null) await restore(me, id, kept);
  if (frees) await tell(me, 'tasks', 'reset', task);
}

/** What comes back is all that was kept, under a name of its own. */
async function restore(me: Acting, loop: string, kept: string): Promise<void> {
  const branch = `restored/${loop}-${me.restored.size}`;
  const words = ['keep', 'restore', kept, '--branch', branch, '--json'];
  const back = await tell(me, ...words);
  if (back.code !== 0) return;
  me.tally.add('people restore');
  const { git } = me.scene;
  const commit = parsed<{ commit: string }>(back.stdout)?.commit ?? '';
  me.restored.set(`refs/heads/${branch}`, commit);
  if (!gitSays(git, 'diff', '--quiet', `refs/paralph/keep/${kept}`, commit))
    me.wrong.push(`lost: ${branch} does not hold what was kept as ${kept}`);
}

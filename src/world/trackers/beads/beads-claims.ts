import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoopId } from '../../../core/model/ids.ts';
import type { Bead } from '../../../text/trackers/beads-answer.ts';
import { isClosed, phasesOf, PROPOSED, relabelled, withPull } from '../../../text/trackers/beads-tasks.ts';
import type { Claims, Found, Hold, NotHeld, TaskPhase } from '../../contract/tracker.ts';
import { SEEN_MS } from './beads-issues.ts';
import type { BeadsAbilities, BeadsIssues } from './beads-issues.ts';
import { closeFinishedEpics } from './close-beads.ts';
import { attempted, deviation, giveBack, takeBead } from './take-bead.ts';

/** What `bd` gives a claim before others may take it back. */
const LEASE_MS = 5 * 60_000;
/** Told again well before another third of it is over. */
const BEAT_MS = LEASE_MS / 4;
/** What a task depends on has landed, and is being closed this moment. */
const CLOSING_MS = 20_000;
const POLL_MS = 500;

interface Place {
  readonly issues: BeadsIssues;
  readonly told: ToldBeads;
  /** Issues another orchestrator has a living process for. */
  readonly living: () => ReadonlySet<string>;
}

/** Who works on what, told to Beads and read from it. */
export function openBeadsClaims(place: Place, abilities: () => BeadsAbilities | null): Claims {
  const { issues, told } = place;
  return {
    get quietMsMax() {
      return abilities()?.heartbeat === true ? LEASE_MS : null;
    },
    claim: (hold) => claim(place, hold),
    phase: (hold, phase) => tellPhase(place, hold, phase),
    check: (holds) =>
      issues.alone(async (bd) => {
        const found = await bd.show(holds.map(({ task }) => task));
        const gone = holds.flatMap((hold): readonly (readonly [LoopId, NotHeld])[] => {
          const notHeld = deviation(found.get(hold.task), hold);
          return notHeld === null ? [] : [[hold.loop, told.lost(hold, notHeld)]];
        });
        return new Map(gone);
      }),
    release: async (hold, why) => {
      const can = await issues.abilities();
      await issues.alone(async (bd) => {
        told.forget(hold);
        const bead = (await bd.show([hold.task])).get(hold.task);
        if (bead?.assignee === hold.actor && !isClosed(bead)) await giveBack(bd, bead, can, why);
      });
    },
    note: (found) => propose(issues, found),
    reopened: async (tasks) => {
      const { beads } = await issues.seen(0);
      const open = new Set(beads.filter((bead) => !isClosed(bead)).map(({ id }) => id));
      return tasks.filter((task) => open.has(task));
    },
    wrapUp: () => closeFinishedEpics(issues),
  };
}

async function claim({ issues, told, living }: Place, hold: Hold): Promise<NotHeld | null> {
  const can = await issues.abilities();
  const endMs = performance.now() + CLOSING_MS;
  for (;;) {
    const taken = await issues.alone((bd) => takeBead(bd, hold, can, living()));
    if (taken === null) {
      told.remember(hold, 'spawned');
      return null;
    }
    if (taken !== 'closing') return told.lost(hold, taken);
    if (performance.now() > endMs)
      return told.lost(hold, { why: 'what it depends on is open in Beads', isFree: false });
    await pause(POLL_MS);
  }
}

/** One writer for each label: what differs from what was told is another's doing, and the loop's end. */
async function tellPhase({ issues, told }: Place, hold: Hold, phase: TaskPhase): Promise<NotHeld | null> {
  const can = await issues.abilities();
  const known = told.of(hold);
  const isSame = known?.phase === phase && known.hold.branch === hold.branch && known.hold.pull === hold.pull;
  if (isSame) {
    const bead = (await issues.seen(SEEN_MS)).beads.find(({ id }) => id === hold.task);
    if (deviation(bead, hold) === null && !(can.heartbeat && isBeatDue(known.beatMs))) return null;
  }
  return issues.alone(async (bd) => {
    const bead = (await bd.show([hold.task])).get(hold.task);
    const gone = deviation(bead, hold);
    if (gone !== null || bead === undefined) return gone === null ? null : told.lost(hold, gone);
    const marks = isSame
      ? []
      : [...relabelled(bead, phase), ...withPull(bead, hold.pull), ...attempted(bead, hold, can)];
    if (marks.length > 0) await bd.must(['update', hold.task, ...marks, '--actor', hold.actor, '--json']);
    if (can.heartbeat && isBeatDue(known?.beatMs)) {
      const beat = await bd.run(['heartbeat', hold.task, '--actor', hold.actor, '--json']);
      if (!beat.ok) return told.lost(hold, { why: beat.error ?? 'Beads refused its heartbeat', isFree: false });
    }
    told.remember(hold, phase, isBeatDue(known?.beatMs) ? undefined : known?.beatMs);
    return null;
  });
}

/** What a loop found is written down once, and left alone until a person takes its label off. */
async function propose(issues: BeadsIssues, found: readonly Found[]): Promise<void> {
  const { beads } = await issues.seen(0);
  const marks = new Set(beads.map(({ externalRef }) => externalRef));
  for (const { mark, title, body, from } of found) {
    if (marks.has(mark)) continue;
    const comesFrom = from === null ? [] : ['--deps', `discovered-from:${from}`];
    const more = ['-l', PROPOSED, '--external-ref', mark, ...comesFrom];
    await issues.must(['create', `--title=${title}`, '-t', 'task', ...more, '--body-file', '-', '--json'], body);
  }
}

const isBeatDue = (beatMs: number | undefined): boolean =>
  beatMs === undefined || performance.now() - beatMs >= BEAT_MS;

interface Told {
  readonly hold: Hold;
  readonly phase: TaskPhase;
  readonly beatMs: number;
}

/** What this process has told Beads of its loops. */
export interface ToldBeads {
  readonly of: (hold: Hold) => Told | null;
  /** `beatMs`: when the claim was last kept alive; now, if absent. */
  readonly remember: (hold: Hold, phase: TaskPhase, beatMs?: number) => void;
  readonly forget: (hold: Hold) => void;
  readonly lost: (hold: Hold, notHeld: NotHeld) => NotHeld;
  /** Whether an issue is held just as it was told. */
  readonly isAsTold: (bead: Bead) => boolean;
}

export function createToldBeads(): ToldBeads {
  const told = new Map<string, Told>();
  const forget = ({ task }: Hold): void => void told.delete(task);
  return {
    of: ({ task, actor }) => {
      const known = told.get(task);
      return known?.hold.actor === actor ? known : null;
    },
    remember: (hold, phase, beatMs = performance.now()) => void told.set(hold.task, { hold, phase, beatMs }),
    forget,
    lost: (hold, notHeld) => {
      forget(hold);
      return notHeld;
    },
    isAsTold: (bead) => {
      const known = told.get(bead.id);
      const isHeld = known !== undefined && bead.status === 'in_progress' && bead.assignee === known.hold.actor;
      return isHeld && phasesOf(bead).join() === known.phase;
    },
  };
}

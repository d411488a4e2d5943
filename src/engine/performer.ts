import type { Command } from '../core/model/commands.ts';
import { AppError } from '../core/model/errors.ts';
import type { Event } from '../core/model/events.ts';
import type { LoopId } from '../core/model/ids.ts';
import { createBackOff } from './trouble/back-off.ts';
import type { DiskWait } from './disk-wait.ts';
import type { PerformContext } from './effects/perform-context.ts';
import { isPassing } from './trouble/transient-errors.ts';
import { perform } from './perform.ts';
import { excuse, isOutOfRoom, isStarved } from './trouble/disk-pressure.ts';
import { wantOf } from './trouble/want.ts';

export interface Performer {
  /** Starts what is wished and not under way; stops what is under way and no longer wished. */
  readonly perform: (commands: readonly Command[]) => void;
  /** Facts of what ended since the last call. */
  readonly takeSettled: () => readonly Event[];
  readonly hasSettled: () => boolean;
  readonly isIdle: () => boolean;
}

interface UnderWay {
  readonly loop: LoopId | null;
  readonly stop: AbortController;
}

const loopOf = (command: Command): LoopId | null => ('loop' in command ? command.loop : null);

const RETRY_MAX_MS = 60_000;
/** Nobody is to blame for a full disk, so what waits for room need not wait long after. */
const ROOM_RETRY_MAX_MS = 5000;

/** A git that somebody killed, or somebody else in the way, says nothing about the work: so often it is tried again. */
const PASSING_TRIES_MAX = 3;

export interface PerformerOptions extends PerformContext {
  readonly onSettled: () => void;
  /** No loop can be worked on: told once, before any agent was started. */
  readonly onHopeless: (error: AppError) => void;
  readonly disk: Omit<DiskWait, 'pause'>;
}

export function createPerformer(context: PerformerOptions): Performer {
  const underWay = new Map<string, UnderWay>();
  const withoutRoom = new Set<string>();
  let hasWorked = false;
  let settled: { readonly key: string; readonly events: readonly Event[] }[] = [];
  const { clock } = context.world;
  const { disk } = context;
  // A fact that the fold does not take (or no fact at all) must not make a busy loop of its wish.
  const backOff = createBackOff(clock);

  const begin = (command: Command): void => {
    const { key } = command;
    const stop = new AbortController();
    underWay.set(key, { loop: loopOf(command), stop });
    hasWorked ||= command.type === 'run-iteration';
    const startedMs = clock.awakeMs();
    lookAtDisk();
    const end = (events: readonly Event[], retryMaxMs: number | null): void => {
      underWay.delete(key);
      if (retryMaxMs !== null) backOff.add(key, retryMaxMs);
      settled.push({ key, events });
      context.onSettled();
    };
    const lackRoom = (why: unknown): void => {
      withoutRoom.add(key);
      disk.tell(why);
      end([], ROOM_RETRY_MAX_MS);
    };
    perform(context, command, stop.signal).then(
      (events) => {
        lookAtDisk();
        const hadTrouble = disk.wasSince(startedMs);
        if (hadTrouble && events.some(isStarved))
          return lackRoom(new Error('the gates found no space left on the disk, or too few processes or files'));
        const isLate = withoutRoom.delete(key);
        if (isLate && withoutRoom.size === 0) disk.over();
        end(hadTrouble || isLate ? events.map(excuse) : events, events.length === 0 ? RETRY_MAX_MS : null);
      },
      (error: unknown) => {
        if (stop.signal.aborted || (!hasWorked && givesUp(context, error))) return end([], RETRY_MAX_MS);
        lookAtDisk();
        // git seldom says that it had no room, so what fails beside such trouble is tried again too.
        if (wantOf(error) !== null || disk.wasSince(startedMs)) return lackRoom(error);
        if (isPassing(error) && backOff.tries(key) < PASSING_TRIES_MAX) return end([], RETRY_MAX_MS);
        end([failure(context, command, error)], RETRY_MAX_MS);
      },
    );
  };
  const lookAtDisk = (): void => void (isOutOfRoom(context) && disk.note());
  // What is claimed already waits too: a worktree is the largest thing we make.
  const mustWait = (command: Command): boolean => command.type === 'make-worktree' && context.state().disk !== null;
  return {
    perform: (commands) => {
      lookAtDisk();
      const wished = new Set(commands.map((command) => command.key));
      for (const [key, { stop }] of underWay) if (!wished.has(key)) stop.abort();
      for (const key of withoutRoom) if (!wished.has(key)) withoutRoom.delete(key);
      for (const command of commands) {
        // Ended, but its fact is not in the log yet: the wish is stale.
        if (settled.some(({ key }) => key === command.key)) continue;
        if (underWay.has(command.key) || isLoopBusy(underWay, command)) continue;
        if (backOff.isTooEarly(command.key) || mustWait(command)) continue;
        begin(command);
      }
    },
    takeSettled: () => {
      const events = settled.flatMap((one) => one.events);
      settled = [];
      return events;
    },
    hasSettled: () => settled.length > 0,
    isIdle: () => underWay.size === 0,
  };
}

/** What every new worktree needs does not work: not this loop's fault, and the next one would fare no better. */
function givesUp({ onHopeless }: PerformerOptions, error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'E_SETUP') return false;
  onHopeless(error);
  return true;
}

/** Stopped and let go on at once: what it did before may still be ending, in the same worktree. */
function isLoopBusy(underWay: ReadonlyMap<string, UnderWay>, command: Command): boolean {
  const loop = loopOf(command);
  return loop !== null && [...underWay.values()].some((one) => one.loop === loop);
}

function failure({ world, state }: PerformContext, command: Command, error: unknown): Event {
  const code = error instanceof AppError ? error.code : 'BUG';
  const text = error instanceof Error ? error.message : String(error);
  // What git itself said tells more than that it failed.
  const said = error instanceof AppError && error.facts[0] !== undefined ? ` ${error.facts[0]}` : '';
  const remedy = error instanceof AppError && error.remedy !== null ? ` (${error.remedy})` : '';
  const loop = loopOf(command);
  const fence = 'fence' in command ? command.fence : -1;
  const worktree = loop === null ? null : (state().loops[loop]?.worktree ?? null);
  if (loop !== null && worktree !== null && !world.worktrees.exists(worktree)) return { type: 'worktree-lost', loop };
  if (command.type === 'publish') return { type: 'publish-blocked', to: command.to, why: text, paths: [] };
  if (command.type === 'retire-worktree') return { type: 'worktree-kept', loop: command.loop, why: text };
  return { type: 'command-failed', command: command.type, loop, fence, code, message: `${text}${said}${remedy}` };
}

import type { Command } from '../core/commands.ts';
import { AppError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import type { HostPolicy, State } from '../core/model.ts';
import type { CompletionSignal, LandingSettings } from '../core/settings.ts';
import type { World } from '../world/world.ts';
import { perform } from './perform.ts';

/** How agents say that they are done. */
export interface Completion {
  readonly signal: CompletionSignal;
  readonly promise: string;
}

export interface PerformContext {
  readonly world: World;
  readonly state: () => State;
  readonly policy: HostPolicy;
  readonly completion: Completion;
  readonly gateCommands: readonly string[];
  readonly protect: readonly string[];
  readonly landing: Pick<LandingSettings, 'message' | 'coAuthors'>;
  readonly force: AbortSignal;
}

export interface Performer {
  /** Starts what is wished and not under way; stops what is under way and no longer wished. */
  readonly perform: (commands: readonly Command[]) => void;
  /** Facts of what ended since the last call. */
  readonly takeSettled: () => readonly Event[];
  readonly hasSettled: () => boolean;
  readonly isIdle: () => boolean;
}

interface UnderWay {
  readonly stop: AbortController;
}

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 60_000;

export function createPerformer(context: PerformContext & { readonly onSettled: () => void }): Performer {
  const underWay = new Map<string, UnderWay>();
  const notBefore = new Map<string, { readonly atMs: number; readonly tries: number }>();
  let settled: { readonly key: string; readonly events: readonly Event[] }[] = [];
  const { clock } = context.world;

  const begin = (command: Command): void => {
    const stop = new AbortController();
    underWay.set(command.key, { stop });
    const end = (events: readonly Event[], failed: boolean): void => {
      underWay.delete(command.key);
      if (failed) backOff(command.key);
      settled.push({ key: command.key, events });
      context.onSettled();
    };
    perform(context, command, stop.signal).then(
      (events) => end(events, events.length === 0),
      (error: unknown) => end(stop.signal.aborted ? [] : [failure(context, command, error)], true),
    );
  };
  // A fact that the fold does not take (or no fact at all) must not make a busy loop of its wish.
  const backOff = (key: string): void => {
    const tries = (notBefore.get(key)?.tries ?? 0) + 1;
    notBefore.set(key, { atMs: clock.nowMs() + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (tries - 1)), tries });
  };
  const isTooEarly = (key: string): boolean => {
    const waitMs = (notBefore.get(key)?.atMs ?? 0) - clock.nowMs();
    return waitMs > 0 && waitMs <= RETRY_MAX_MS;
  };
  return {
    perform: (commands) => {
      const wished = new Set(commands.map((command) => command.key));
      for (const [key, { stop }] of underWay) if (!wished.has(key)) stop.abort();
      for (const command of commands) {
        // Ended, but its fact is not in the log yet: the wish is stale.
        if (settled.some(({ key }) => key === command.key)) continue;
        if (underWay.has(command.key) || isTooEarly(command.key)) continue;
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

function failure({ world, state }: PerformContext, command: Command, error: unknown): Event {
  const code = error instanceof AppError ? error.code : 'BUG';
  const text = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof AppError && error.remedy !== null ? ` (${error.remedy})` : '';
  const loop = 'loop' in command ? command.loop : null;
  const fence = 'fence' in command ? command.fence : -1;
  const worktree = loop === null ? null : (state().loops[loop]?.worktree ?? null);
  if (loop !== null && worktree !== null && !world.worktrees.exists(worktree)) return { type: 'worktree-lost', loop };
  if (command.type === 'publish') return { type: 'publish-blocked', to: command.to, why: text, paths: [] };
  if (command.type === 'retire-worktree') return { type: 'worktree-kept', loop: command.loop, why: text };
  return { type: 'command-failed', command: command.type, loop, fence, code, message: `${text}${remedy}` };
}

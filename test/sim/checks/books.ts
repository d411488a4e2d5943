import type { Event } from '../../../src/core/model/events.ts';
import type { HoldKind } from '../../../src/core/model/failure.ts';
import type { LoopId } from '../../../src/core/model/ids.ts';
import type { State } from '../../../src/core/model/model.ts';
import { isWorking } from '../../../src/core/model/model.ts';
import type { Budget, Usage } from '../../../src/core/model/usage.ts';

/** What was spent and which accounts are held, kept from the events alone: a fold that forgets is found out. */
export interface Page {
  readonly held: ReadonlyMap<string, Exclude<HoldKind, 'warning'>>;
  readonly run: Spent & { readonly isOpen: boolean };
  readonly loops: ReadonlyMap<LoopId, Spent>;
}

export interface Spent {
  readonly costUsd: number;
  readonly tokens: number;
}

const NOTHING: Spent = { costUsd: 0, tokens: 0 };

export const FIRST_PAGE: Page = { held: new Map(), run: { ...NOTHING, isOpen: false }, loops: new Map() };

export const isOver = ({ costUsd, tokens }: Spent, { maxCostUsd, maxTokens }: Budget): boolean =>
  (maxCostUsd !== null && costUsd >= maxCostUsd) || (maxTokens !== null && tokens >= maxTokens);

const add = (spent: Spent, usage: Usage): Spent => ({
  costUsd: spent.costUsd + (usage.costUsd ?? 0),
  tokens: spent.tokens + usage.inputTokens + usage.outputTokens,
});

/** Whether an iteration's end is told by who holds the loop, about what the loop is at. */
export function isTaken(before: State, event: Extract<Event, { type: 'iteration-ended' }>): boolean {
  const loop = before.loops[event.loop];
  if (loop === undefined || loop.fence !== event.fence || loop.host === null) return false;
  return loop.phase.at === 'iterating' && loop.phase.n === event.n;
}

/** Told by who held it, about the agent that a person stopped at once. */
function isLastWord(before: State, event: Extract<Event, { type: 'iteration-ended' }>): boolean {
  const loop = before.loops[event.loop];
  if (loop?.phase.at !== 'parked' || loop.phase.reason !== 'stopped') return false;
  return loop.fence === event.fence && loop.iteration + 1 === event.n;
}

export function turnPage(page: Page, before: State, event: Event, after: State): Page {
  switch (event.type) {
    case 'host-joined': {
      const held = new Map([...page.held].filter(([, kind]) => kind !== 'auth'));
      if (event.policy.slots === 0) return { ...page, held };
      return { ...page, held, run: { ...(page.run.isOpen ? page.run : NOTHING), isOpen: true } };
    }
    case 'host-left': {
      const works = Object.values(before.hosts).filter((host) => host.policy.slots > 0);
      const isLast = works.length === 1 && works[0]?.id === event.host && works[0].state === 'up';
      return isLast ? { ...page, run: { ...page.run, isOpen: false } } : page;
    }
    case 'account-resumed':
      if ((before.accounts[event.account]?.hold?.untilMs ?? 0) > event.untilMs) return page;
      // Time logs nobody in.
      return {
        ...page,
        held: new Map([...page.held].filter(([account, kind]) => account !== event.account || kind === 'auth')),
      };
    case 'iteration-ended': {
      if (!isTaken(before, event) && !isLastWord(before, event)) return page;
      const loops = new Map(page.loops).set(event.loop, add(page.loops.get(event.loop) ?? NOTHING, event.usage));
      const run = { ...page.run, ...add(page.run, event.usage) };
      const told = event.hold?.kind ?? 'warning';
      // What is missing waits for a person, just as a login.
      const kind = told === 'missing' ? 'auth' : told;
      // Who must log in does so, whatever else is told meanwhile.
      const isNew = kind !== 'warning' && page.held.get(event.account) !== 'auth';
      return { held: isNew ? new Map(page.held).set(event.account, kind) : page.held, run, loops };
    }
    case 'loop-resumed': {
      // A limit that put it aside begins anew; where a person stopped it, it goes on.
      const phase = before.loops[event.loop]?.phase;
      if (phase?.at !== 'parked' || phase.reason === 'stopped') return page;
      return { ...page, loops: new Map(page.loops).set(event.loop, NOTHING) };
    }
    case 'loop-reviewed': {
      // Sent back by a person, it gets an allowance of its own.
      const [was, is] = [before.loops[event.loop], after.loops[event.loop]];
      if (was === undefined || was === is || isWorking(was) || event.verdict === 'approved') return page;
      return { ...page, loops: new Map(page.loops).set(event.loop, NOTHING) };
    }
    default:
      return page;
  }
}

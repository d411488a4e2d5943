import type { Event } from '../../core/model/events.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { HistoryEntry } from '../../core/views/loop-history.ts';
import type { News } from '../../core/views/news.ts';
import { NEWS_TYPES } from '../../core/views/news.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { eventLine, newsLine } from './live-lines.ts';
import type { Style } from './output.ts';

/** One line about an entry of a loop's history. What a run says while it goes on is said the same way here. */
export function historyLine({ what, state }: HistoryEntry, loop: LoopId, style: Style): string {
  if (isNews(what)) return newsLine(what, state, style);
  return eventLine(what, state, style) ?? quietLine(what, loop, state.loops[loop]?.place.at === 'checkout');
}

const isNews = (what: Event | News): what is News => NEWS_TYPES.has(what.type);

const short = (commit: string): string => commit.slice(0, 10);

/** What is too little to be told while many loops run, and belongs to the history of one. */
function quietLine(event: Event, loop: LoopId, isInPlace: boolean): string {
  switch (event.type) {
    case 'host-draining':
      return 'its host was asked to stop';
    case 'host-left':
      return 'is stopped: its host stopped in order and gave it back';
    case 'worktree-made':
      return isInPlace
        ? `works in place, in ${cleanLine(event.path)}, from ${short(event.base)}`
        : `its worktree is ${cleanLine(event.path)}, from ${short(event.base)}`;
    case 'worktree-retired':
      return isInPlace ? 'has left the checkout' : 'its worktree was given back';
    case 'loop-blocked':
      return `says it needs a person: ${cleanLine(event.why)}`;
    case 'loop-done':
      return `says it is done: ${cleanLine(event.summary)}`;
    case 'loop-discarded':
      return `a person discarded it; ${event.kept === null ? 'nothing to keep' : `kept as ${cleanLine(event.kept)}`}`;
    case 'loop-restored':
      return 'a person took it back';
    case 'loop-sent-back':
      return 'is sent back to be mended';
    case 'loop-bumped':
      return 'a person wants it to land first';
    case 'loop-ejected':
      return 'a person took it out of the queue';
    case 'main-merged':
      return `main (${short(event.base)}) was merged into it${event.conflicts.length === 0 ? '' : `, with conflicts in ${cleanLine(event.conflicts.join(', '))}`}`;
    case 'landing-requested':
      return 'a person asked for it to be landed';
    case 'train-built':
      return trainLine(event, loop);
    case 'candidate-tested':
      return 'merged with main the gates are green';
    case 'conflicts-foreseen':
      return `will not merge as it is: ${cleanLine((event.found[loop] ?? []).flatMap((one) => one.paths).join(', '))}`;
    case 'task-reset':
      return 'a person freed its task';
    case 'claim-lost':
      return `no longer has its task: ${cleanLine(event.why)}`;
    case 'landings-found':
      return 'was found to have landed';
    case 'loops-found':
      return event.loops.some((one) => one.loop === loop && one.tampered !== undefined)
        ? 'was found in the repository, and what its agent had done outside its worktree'
        : 'was found in the repository and continues';
    default:
      return event.type.replaceAll('-', ' ');
  }
}

function trainLine(event: Extract<Event, { type: 'train-built' }>, loop: LoopId): string {
  const at = event.cars.findIndex((car) => car.loop === loop);
  if (at >= 0)
    return `rides to land, number ${at + 1} of ${event.cars.length}, as ${short(event.cars[at]?.commit ?? '')}`;
  const clash = event.clashes.find((one) => one.loop === loop);
  if (clash !== undefined)
    return `does not merge with ${clash.main ? 'main' : 'what lands before it'}: ${cleanLine(clash.paths.join(', '))}`;
  const broken = event.broken.find((one) => one.loop === loop);
  if (broken !== undefined) return `could not be merged: ${cleanLine(broken.why)}`;
  const flawed = event.flawed?.find((one) => one.loop === loop);
  if (flawed !== undefined) return `holds what git does not allow: ${cleanLine(flawed.why)}`;
  return event.contained.some((one) => one.loop === loop) ? 'is in main already' : 'holds the work of other loops';
}

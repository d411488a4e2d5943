/** One line of `--events`. */
export interface RalphEvent {
  readonly seq: number;
  readonly type: string;
  readonly loop?: string;
  readonly task?: string;
  readonly slot?: number;
  readonly [key: string]: unknown;
}

/** Reads a stream of events; a line cut off at its end is left out. */
export function parseEvents(stdout: string): RalphEvent[] {
  return wholeLines(stdout).map((line) => JSON.parse(line) as RalphEvent);
}

/** Lines that are there to their end: whoever writes the last one may still be at it. */
export function wholeLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
}

/** The id of a task inside its tracker, also where the event carries the tracker's name with it. */
export function taskOf(text: string): string {
  return text.slice(text.lastIndexOf('#') + 1);
}

/** Tasks in the order in which they were claimed. */
export function claimedTasks(events: readonly RalphEvent[]): string[] {
  return events.filter((event) => event.type === 'task-claimed').map((event) => taskOf(event.task ?? ''));
}

/** Tasks of the loops that have an event of this type, in its order. */
export function tasksWith(events: readonly RalphEvent[], type: string): string[] {
  return events.filter((event) => event.type === type).map((event) => taskOfLoop(events, event.loop ?? ''));
}

/** Events of one task's loops. */
export function eventsOf(events: readonly RalphEvent[], task: string): RalphEvent[] {
  return events.filter((event) => event.loop !== undefined && taskOfLoop(events, event.loop) === task);
}

/** From the claim of a task to its end, in log positions. */
export function spanOf(events: readonly RalphEvent[], task: string): { readonly from: number; readonly to: number } {
  const own = eventsOf(events, task);
  const from = own.find((event) => event.type === 'task-claimed')?.seq;
  const to = own.findLast((event) => ['loop-landed', 'loop-parked', 'loop-ready'].includes(event.type))?.seq;
  if (from === undefined || to === undefined) throw new Error(`no span for ${task} in ${JSON.stringify(own)}`);
  return { from, to };
}

export function isOverlapping(events: readonly RalphEvent[], one: string, other: string): boolean {
  const [a, b] = [spanOf(events, one), spanOf(events, other)];
  return a.from < b.to && b.from < a.to;
}

function taskOfLoop(events: readonly RalphEvent[], loop: string): string {
  const claim = events.find((event) => event.type === 'task-claimed' && event.loop === loop);
  return taskOf(claim?.task ?? '');
}

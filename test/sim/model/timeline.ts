/** Simulated time: what is due first happens first; what is due together happens in the order it was planned. */
export interface Timeline {
  readonly now: () => number;
  readonly at: (dueMs: number, act: () => void) => void;
  readonly after: (ms: number, act: () => void) => void;
  /** Lets the next thing happen. False: nothing is planned. */
  readonly step: () => boolean;
}

interface Planned {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => void;
}

const isBefore = (a: Planned, b: Planned): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

export function createTimeline(startMs: number): Timeline {
  const heap: Planned[] = [];
  let nowMs = startMs;
  let orders = 0;
  const at = (dueMs: number, act: () => void): void => {
    heap.push({ dueMs: Math.max(dueMs, nowMs), order: orders, act });
    orders += 1;
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child] as Planned, heap[parent] as Planned)) break;
      swap(heap, child, parent);
      child = parent;
    }
  };
  return {
    now: () => nowMs,
    at,
    after: (ms, act) => at(nowMs + ms, act),
    step: () => {
      const first = takeFirst(heap);
      if (first === undefined) return false;
      nowMs = first.dueMs;
      first.act();
      return true;
    },
  };
}

function takeFirst(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || first === last) return first;
  heap[0] = last;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    let least = parent;
    if (left < heap.length && isBefore(heap[left] as Planned, heap[least] as Planned)) least = left;
    if (right < heap.length && isBefore(heap[right] as Planned, heap[least] as Planned)) least = right;
    if (least === parent) return first;
    swap(heap, parent, least);
    parent = least;
  }
}

function swap(heap: Planned[], a: number, b: number): void {
  const held = heap[a] as Planned;
  heap[a] = heap[b] as Planned;
  heap[b] = held;
}

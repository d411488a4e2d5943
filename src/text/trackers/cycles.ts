const CYCLES_MAX = 100;

interface Frame {
  readonly node: string;
  readonly next: Iterator<string>;
}

/**
 * The cycles of a graph, each once, as the path that closes it (its first name is not repeated). A cycle made only of
 * nodes already named is left out: breaking the named ones is the way to it anyway. No recursion: chains may be long.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const named = new Set<string>();
  const finished = new Set<string>();
  for (const root of edges.keys()) {
    if (finished.has(root)) continue;
    const depthOf = new Map<string, number>([[root, 0]]);
    const path: Frame[] = [{ node: root, next: successors(edges, root) }];
    while (path.length > 0) {
      const frame = path[path.length - 1] as Frame;
      const step = frame.next.next();
      if (step.done === true) {
        path.pop();
        depthOf.delete(frame.node);
        finished.add(frame.node);
        continue;
      }
      const start = depthOf.get(step.value);
      if (start !== undefined) {
        const cycle = path.slice(start).map((each) => each.node);
        if (cycles.length < CYCLES_MAX && cycle.some((node) => !named.has(node))) cycles.push(cycle);
        for (const node of cycle) named.add(node);
      } else if (!finished.has(step.value)) {
        depthOf.set(step.value, path.length);
        path.push({ node: step.value, next: successors(edges, step.value) });
      }
    }
  }
  return cycles;
}

function successors(edges: ReadonlyMap<string, readonly string[]>, node: string): Iterator<string> {
  return (edges.get(node) ?? [])[Symbol.iterator]();
}

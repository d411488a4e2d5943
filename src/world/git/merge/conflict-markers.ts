import type { Sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

interface Marker {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const FOUND_MAX = 200;
/** More would not fit on one command line. */
const PATHS_AT_ONCE = 500;
/** Our merges name the two sides by their ids, which no text about conflicts does. */
const OURS = /^[<>|]{7} [0-9a-f]{40,64}(:|\r?$)/;
const PATTERNS = ['^<<<<<<< ', '^[|]{7}( |\r?$)', '^=======\r?$', '^>>>>>>> '].flatMap((one) => ['-e', one]);

/**
 * `path:line` of conflict markers in these files of a commit. Lines that stood on both sides of the last merge already, as in
 * a text about conflicts, are not counted.
 */
export async function findMarkers(view: GitView, commit: Sha, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const found = inConflict(await markersIn(view, commit, paths));
  if (found.length === 0) return [];
  const sides = await lastMerge(view, commit);
  const known = sides.length < 2 ? [] : await Promise.all(sides.map((side) => markersIn(view, side, paths)));
  return inConflict(withoutKnown(found, known))
    .slice(0, FOUND_MAX)
    .map(({ path, line }) => `${path}:${line}`);
}

async function markersIn(view: GitView, commit: Sha, paths: readonly string[]): Promise<readonly Marker[]> {
  const args = ['--literal-pathspecs', 'grep', '-n', '-z', '-a', '-E', '--no-color', '--full-name', ...PATTERNS];
  const markers: Marker[] = [];
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const some = paths.slice(at, at + PATHS_AT_ONCE);
    const { stdout } = await view.run([...args, commit, '--', ...some], { ok: [0, 1] });
    markers.push(...readMarkers(stdout, `${commit}:`));
  }
  return markers;
}

function readMarkers(stdout: string, prefix: string): readonly Marker[] {
  const markers: Marker[] = [];
  // A path may hold line breaks, a marker's line cannot.
  for (let rest = stdout; rest.startsWith(prefix);) {
    const [whole = '', path = '', line = '', text = ''] =
      /^([^\0]+)\0(\d+)\0([^\n]*)\n?/.exec(rest.slice(prefix.length)) ?? [];
    if (whole === '') break;
    markers.push({ path, line: Number(line), text });
    rest = rest.slice(prefix.length + whole.length);
  }
  return markers;
}

/** A line of `=` is a heading in many texts: it counts only between two that cannot be, or next to the one that is left. */
function inConflict(markers: readonly Marker[]): readonly Marker[] {
  const isInside: boolean[] = [];
  let open = false;
  for (const [at, { path, text }] of markers.entries()) {
    const next = markers[at + 1];
    if (markers[at - 1]?.path !== path) open = false;
    const isEdge = /^[<>]/.test(text);
    isInside.push(isEdge || open || (next?.path === path && next.text.startsWith('>')));
    if (isEdge) open = text.startsWith('<');
  }
  return markers.filter((_, at) => isInside[at]);
}

/** The two sides that the newest merge on the branch's own line brought together; none: it has no merge. */
async function lastMerge(view: GitView, commit: Sha): Promise<readonly Sha[]> {
  const args = ['rev-list', '--first-parent', '--merges', '--parents', '--max-count=1', commit, '--'];
  const [, ...parents] = (await view.run(args)).stdout.trim().split(' ');
  return parents as Sha[];
}

/** Without as many of the same lines as every side had. */
function withoutKnown(found: readonly Marker[], sides: readonly (readonly Marker[])[]): readonly Marker[] {
  const keyOf = ({ path, text }: Marker): string => `${path}\0${text}`;
  const counts = sides.map((side) => {
    const count = new Map<string, number>();
    for (const marker of side) count.set(keyOf(marker), (count.get(keyOf(marker)) ?? 0) + 1);
    return count;
  });
  const left = new Map<string, number>();
  return found.filter((marker) => {
    const key = keyOf(marker);
    const known = left.get(key) ?? (counts.length === 0 ? 0 : Math.min(...counts.map((count) => count.get(key) ?? 0)));
    left.set(key, known - 1);
    return known <= 0 || OURS.test(marker.text);
  });
}

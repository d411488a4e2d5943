/* Apart from the readers: most commands only need to know which file it is. */

export type TrackerKind = 'markdown' | 'json' | 'yaml';

const NAMES = ['PRD.md', 'prd.json', 'tasks.yaml', 'tasks.yml', 'prd.md', 'TASKS.md', 'tasks.md', 'tasks.json'];
const GRAPHS = ['task-graph.yaml', 'task-graph.yml'];
const inRalph = (name: string): string => `.ralph/${name}`;
/** Where tasks are looked for when nobody says where they are; the first that exists is taken. */
export const TRACKER_NAMES: readonly string[] = [...NAMES, ...NAMES.map(inRalph), ...GRAPHS, ...GRAPHS.map(inRalph)];

const KIND_OF_ENDING = new Map<string, TrackerKind>([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['json', 'json'],
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
]);

/** Issues that `bd` wrote down in a file: read without it, and never written. */
export const isBeadsLines = (path: string): boolean => /\.jsonl$/i.test(path);

export function trackerKindOf(path: string): TrackerKind | null {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1];
  return KIND_OF_ENDING.get((ending ?? '').toLowerCase()) ?? null;
}

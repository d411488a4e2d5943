import type { TaskId } from '../../core/model/ids.ts';
import { taskId } from '../../core/model/ids.ts';
import type { Marks, Task } from '../../core/model/task.ts';
import type { Bead, Link } from './beads-answer.ts';
import { cleanLine, cleanText } from './clean.ts';

export const PROPOSED = 'proposed';
const PHASE = 'phase:';
const PULL_REQUEST = 'pr:';
/** Links that `bd` itself lets work wait for. */
const WAITING = new Set(['blocks', 'conditional-blocks', 'waits-for']);
/** Issues that are machinery of `bd` and its friends, and no work. */
const MACHINERY = new Set(
  'event gate molecule message merge-request agent role rig convoy slot wisp formula'.split(' '),
);
const SLOT = 'gt:slot';
/** A lease that ran out is left this long for its holder to come back, as `bd reclaim` does. */
const GRACE_MS = 10 * 60_000;

/** What is known beside the issues themselves. */
export interface BeadsAround {
  /** What `bd ready` lists; null: it was not asked. */
  readonly ready: ReadonlySet<string> | null;
  /** Issues for which an orchestrator wrote down a process that lives. */
  readonly living: ReadonlySet<string>;
  readonly nowMs: number;
}

/** Claims are made under `<run>/<loop>`. */
export const isLoopActor = (name: string): boolean => /^[^\s/]+\/[^\s/]+$/.test(name);

export const phasesOf = ({ labels }: Pick<Bead, 'labels'>): readonly string[] =>
  labels.filter((label) => label.startsWith(PHASE)).map((label) => label.slice(PHASE.length));

export const phaseLabel = (phase: string): string => `${PHASE}${phase}`;

/** What makes a phase label the only one, as arguments of `bd update`. */
export function relabelled(bead: Bead, phase: string): readonly string[] {
  const now = phasesOf(bead);
  const others = now.filter((one) => one !== phase).flatMap((one) => ['--remove-label', phaseLabel(one)]);
  return now.includes(phase) ? others : [...others, '--add-label', phaseLabel(phase)];
}

/** Its pull request, where a person and other tools look for it. */
export function withPull({ labels }: Pick<Bead, 'labels'>, pull: number | undefined): readonly string[] {
  const label = `${PULL_REQUEST}${pull ?? 0}`;
  if (pull === undefined || labels.includes(label)) return [];
  const others = labels.filter((one) => one.startsWith(PULL_REQUEST)).flatMap((one) => ['--remove-label', one]);
  return [...others, '--add-label', label];
}

export const isClosed = ({ status }: Pick<Bead, 'status'>): boolean => status === 'closed' || status === 'tombstone';

/** Epics by type, by label, or because something is a part of them. */
function epicsIn(beads: readonly Bead[]): ReadonlyMap<string, readonly Bead[]> {
  const parts = new Map<string, Bead[]>();
  for (const bead of beads) {
    if (bead.type === 'epic' || bead.labels.includes('epic')) parts.set(bead.id, parts.get(bead.id) ?? []);
    const isPart = bead.parent !== null && bead.status !== 'tombstone' && !MACHINERY.has(bead.type);
    if (isPart && bead.parent !== null) parts.set(bead.parent, [...(parts.get(bead.parent) ?? []), bead]);
  }
  return parts;
}

/** Open epics that have parts, all of them closed; the deepest first. */
export function finishedEpics(beads: readonly Bead[]): readonly string[] {
  const parts = epicsIn(beads);
  const known = new Map(beads.map((bead) => [bead.id, bead]));
  const finished = new Set<string>();
  const isOver = (bead: Bead): boolean => isClosed(bead) || finished.has(bead.id);
  for (let before = -1; before !== finished.size;) {
    before = finished.size;
    for (const [id, own] of parts) {
      const epic = known.get(id);
      const isOpen = epic !== undefined && (epic.status === 'open' || epic.status === 'in_progress');
      if (isOpen && epic.assignee === '' && own.length > 0 && own.every(isOver)) finished.add(id);
    }
  }
  return [...finished];
}

/** Beads as tasks: what no loop may begin says why. Epics and machinery are none. */
export function beadTasks(beads: readonly Bead[], around: BeadsAround): readonly Task[] {
  const epics = epicsIn(beads);
  const known = new Map(beads.map((bead) => [bead.id, bead]));
  return beads
    .filter((bead) => !epics.has(bead.id) && bead.status !== 'tombstone')
    .filter(({ type, labels }) => !MACHINERY.has(type) && !labels.includes(SLOT))
    .toSorted(inOrder)
    .map((bead, index) => taskOf(bead, { known, around, line: index + 1 }));
}

/** As they were made, so that those of one priority start in that order. */
function inOrder(a: Bead, b: Bead): number {
  const made = a.createdAt.localeCompare(b.createdAt);
  return made === 0 ? a.id.localeCompare(b.id, 'en', { numeric: true }) : made;
}

interface Place {
  readonly known: ReadonlyMap<string, Bead>;
  readonly around: BeadsAround;
  readonly line: number;
}

function taskOf(bead: Bead, { known, around, line }: Place): Task {
  const deps = (bead.links ?? []).flatMap((link) => openDependency(link, known));
  const isDone = isClosed(bead);
  const why = isDone ? null : blockedBecause(bead, deps, around);
  return {
    id: taskId(bead.id),
    title: cleanLine(bead.title) || bead.id,
    // What is done is told to nobody again, and the list is written down each time it changes.
    body: isDone ? '' : cleanText([bead.description, bead.design].filter((text) => text.trim() !== '').join('\n\n')),
    acceptance: isDone ? [] : acceptanceOf(bead.acceptance),
    group: valueOf(bead, 'group:'),
    deps,
    priority: bead.priority,
    status: isDone ? 'done' : why === null ? 'open' : 'blocked',
    blockedReason: why,
    claim: claimIn(bead),
    line,
    ...marksOf(bead, known),
  };
}

/** Where an issue is shown by itself, what it depends on comes with its status. */
export const isOpenBlocker = ({ type, status }: Link): boolean =>
  WAITING.has(type) && status !== undefined && !isClosed({ status });

/** Who closed or opened it took it from whoever had it, though the name stays. */
function claimIn(bead: Bead): NonNullable<Task['claim']> {
  const [phase = null] = phasesOf(bead);
  const isHeld = bead.status === 'in_progress' && bead.assignee !== '';
  return { by: isHeld ? bead.assignee : null, phase: isHeld ? phase : null };
}

function openDependency({ on, type }: Link, known: ReadonlyMap<string, Bead>): readonly TaskId[] {
  const other = known.get(on);
  return WAITING.has(type) && other !== undefined && !isClosed(other) ? [taskId(on)] : [];
}

/** Null: a loop may begin it, as far as Beads is concerned. */
function blockedBecause(bead: Bead, deps: readonly TaskId[], { ready, ...around }: BeadsAround): string | null {
  const { id, status, assignee, labels } = bead;
  if (labels.includes(PROPOSED)) return `proposed; bd update ${id} --remove-label ${PROPOSED} lets it begin`;
  if (status === 'in_progress') return heldBecause(bead, around);
  if (status !== 'open') return `${status} in Beads`;
  // Who opens it again leaves the name and the label of the loop that had it.
  const isLoops = isLoopActor(assignee) && phasesOf(bead).length > 0;
  if (assignee !== '' && !isLoops) return `assigned to ${assignee} in Beads`;
  if (ready !== null && deps.length === 0 && !ready.has(id)) return 'bd does not list it as ready';
  return null;
}

/** Work in progress is a person's, unless its phase label says that an orchestrator had it which is gone. */
function heldBecause(bead: Bead, { living, nowMs }: Omit<BeadsAround, 'ready'>): string | null {
  const { id, assignee, labels, leaseEndsMs } = bead;
  const [phase] = phasesOf(bead);
  const pull = labels.find((label) => label.startsWith(PULL_REQUEST));
  if (assignee !== '' && !isLoopActor(assignee)) return `${assignee} works on it in Beads`;
  if (phase === undefined && assignee === '') return 'in progress in Beads, and no assignee says by whom';
  if (living.has(id)) return 'a process of another orchestrator works on it';
  if (pull !== undefined || phase === 'pr_created')
    return `its pull request is open (${pull ?? phaseLabel('pr_created')})`;
  if (phase === 'merged') return `its work is merged; bd close ${id} ends it`;
  // Without a lease nothing but the label tells whose it was; a claim alone is somebody's who is at work.
  const isLeft = leaseEndsMs === null ? phase !== undefined : leaseEndsMs + GRACE_MS < nowMs;
  return assignee === '' || isLeft ? null : `claimed by ${assignee}`;
}

const BULLET = /^\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?/;

const acceptanceOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => cleanLine(line.replace(BULLET, '')))
    .filter((line) => line !== '');

const valueOf = ({ labels }: Bead, prefix: string): string | null =>
  labels.find((label) => label.startsWith(prefix) && label.length > prefix.length)?.slice(prefix.length) ?? null;

function marksOf(bead: Bead, known: ReadonlyMap<string, Bead>): Marks {
  const above = ancestors(bead, known);
  const labels = bead.labels.filter((label) => !label.startsWith(PHASE) && !label.startsWith(PULL_REQUEST));
  const [story, agent, model] = ['story:', 'agent:', 'model:'].map((prefix) => valueOf(bead, prefix));
  return {
    ...(above[0] === undefined ? {} : { epic: above[0] }),
    ...(above.length > 1 ? { epics: above } : {}),
    ...(story == null ? {} : { story }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(agent == null ? {} : { agent }),
    ...(model == null ? {} : { model }),
  };
}

function ancestors({ id, parent }: Bead, known: ReadonlyMap<string, Bead>): readonly string[] {
  const above: string[] = [];
  for (let at = parent; at !== null && at !== id && !above.includes(at); at = known.get(at)?.parent ?? null)
    above.push(at);
  return above;
}

import type { TaskId } from '../../core/model/ids.ts';
import { taskId } from '../../core/model/ids.ts';
import type { IssueSettings } from '../../core/model/settings.ts';
import type { Marks, Task } from '../../core/model/task.ts';
import type { Work } from '../forge/work-comment.ts';
import { isAtWork } from '../forge/work-comment.ts';
import { cleanLine } from './clean.ts';
import { readIssueBody } from './issue-body.ts';
import { parsePriority } from './priority.ts';

/** An issue of a forge, as far as it is about work. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
  readonly by: string;
  /** Who opened it may write to the repository. */
  readonly isByCollaborator: boolean;
  readonly labels: readonly string[];
  readonly milestone: { readonly number: number; readonly title: string } | null;
  readonly assignees: readonly string[];
  /** The issue it is a part of. */
  readonly parent: number | null;
  /** How many parts it has. */
  readonly parts: number;
  readonly comments: number;
}

export const PROPOSED = 'proposed';
export const IN_PROGRESS = 'in-progress';
export const BLOCKED = 'blocked';
const EPIC = 'epic';
const OURS: readonly string[] = [PROPOSED, IN_PROGRESS, BLOCKED, EPIC];

/** Case never matters to a forge: labels that mean something to us are told in our spelling. */
export const labelsIn = (labels: readonly string[]): readonly string[] =>
  labels.map((label) => OURS.find((own) => own === label.toLowerCase()) ?? label);

/** What is known beside the issues themselves. */
export interface IssuesAround {
  readonly repository: string;
  /** No label is asked for, so an issue of a stranger is no task. */
  readonly isAnyLabel: boolean;
  /** Open or not, of issues that others depend on and the list lacks; absent: there is none. */
  readonly others: ReadonlyMap<number, boolean>;
  /** Parts of issues that the list lacks, by the number of the whole. */
  readonly parts: ReadonlyMap<number, readonly number[]>;
  readonly work: ReadonlyMap<number, Work>;
}

export const isEpic = ({ labels }: Pick<Issue, 'labels'>): boolean => has(labels, EPIC);

/** Whether an issue is one of those that a person wants to be worked on. */
export function isChosen({ labels, milestone, assignee }: IssueSettings, issue: Issue): boolean {
  const isOfMilestone =
    milestone === null || issue.milestone?.title === milestone || String(issue.milestone?.number) === milestone;
  return (
    labels.every((label) => has(issue.labels, label)) &&
    isOfMilestone &&
    (assignee === null || has(issue.assignees, assignee.replace(/^@/, '')))
  );
}

/** Numbers that an issue of the list waits for, beside its parts. */
export const neededBy = (issues: readonly Issue[], repository: string): readonly number[] => {
  const listed = new Set(issues.map(({ number }) => number));
  const needed = issues.filter(({ isOpen }) => isOpen).flatMap((issue) => readIssueBody(issue.body, repository).deps);
  return [...new Set(needed)].filter((number) => !listed.has(number));
};

/** Issues as tasks, in the order of their numbers: what no loop may begin says why. Epics are none. */
export function issueTasks(issues: readonly Issue[], around: IssuesAround): readonly Task[] {
  const known = new Map(issues.map((issue) => [issue.number, issue]));
  return issues
    .filter((issue) => !isEpic(issue))
    .toSorted((a, b) => a.number - b.number)
    .map((issue) => taskOf(issue, known, around));
}

type Known = ReadonlyMap<number, Issue>;

function taskOf(issue: Issue, known: Known, around: IssuesAround): Task {
  const { number, labels, isOpen } = issue;
  const { text, acceptance, ...named } = readIssueBody(issue.body, around.repository);
  const deps = isOpen ? dependenciesOf(issue, named, known, around) : NOTHING_NEEDED;
  const why = isOpen ? blockedBecause(issue, around) : null;
  const reason = why ?? (isOpen ? deps.missing : null);
  const work = around.work.get(number);
  return {
    id: idOf(number),
    title: cleanLine(issue.title) || `issue ${number}`,
    // What is done is told to nobody again, and the list is written down each time it changes.
    body: isOpen ? text : '',
    acceptance: isOpen ? acceptance : [],
    group: valueOf(labels, 'group'),
    deps: deps.ids,
    priority: priorityOf(labels),
    status: isOpen ? (reason === null ? 'open' : 'blocked') : 'done',
    blockedReason: reason,
    claim: isOpen && work !== undefined && isAtWork(work) ? { by: work.actor, phase: work.phase } : NOBODY,
    line: number,
    ...marksOf(issue, known),
  };
}

const NOBODY = { by: null, phase: null };
const NOTHING_NEEDED: Needed = { ids: [], missing: null };
const idOf = (number: number): TaskId => taskId(String(number));
const has = (list: readonly string[], wanted: string): boolean =>
  list.some((one) => one.toLowerCase() === wanted.toLowerCase());

/** Null: a loop may begin it, as far as the issue itself is concerned. */
function blockedBecause({ number, labels, by, isByCollaborator }: Issue, around: IssuesAround): string | null {
  if (has(labels, PROPOSED)) return `proposed; ralph tasks unblock ${number} lets it begin`;
  if (has(labels, BLOCKED)) return `labelled ${BLOCKED} on GitHub`;
  if (has(labels, IN_PROGRESS)) {
    const work = around.work.get(number);
    if (work === undefined || !isAtWork(work)) return `labelled ${IN_PROGRESS} on GitHub, by no loop`;
    return `claimed by ${work.actor}`;
  }
  if (around.isAnyLabel && !isByCollaborator)
    return `opened by ${cleanLine(by)}, who is no collaborator: choose issues by a label (tracker.labels)`;
  return null;
}

interface Needed {
  readonly ids: readonly TaskId[];
  /** Why it has to wait for something that is no task; null: for nothing of that kind. */
  readonly missing: string | null;
}

/** What it names, and its parts, as far as they are open. */
function dependenciesOf(
  { number }: Issue,
  { deps, elsewhere }: Pick<ReturnType<typeof readIssueBody>, 'deps' | 'elsewhere'>,
  known: Known,
  { others, parts }: IssuesAround,
): Needed {
  const own = [...known.values()].flatMap((one) => (one.parent === number ? [one.number] : []));
  const all = [...new Set([...deps, ...own, ...(parts.get(number) ?? [])])].filter((one) => one !== number);
  const isListed = (one: number): boolean => known.has(one) && !isEpic(known.get(one) as Issue);
  const [foreign] = elsewhere;
  const open = all.find((one) => !isListed(one) && (known.get(one)?.isOpen ?? others.get(one) ?? true));
  const isThere =
    open !== undefined && (known.has(open) || others.has(open) || (parts.get(number) ?? []).includes(open));
  return {
    ids: all.filter((one) => isListed(one) && known.get(one)?.isOpen === true).map(idOf),
    missing:
      open !== undefined
        ? `it depends on #${open}, which is ${isThere ? 'open' : 'not there'}`
        : foreign === undefined
          ? null
          : `it depends on ${foreign}, which is not read`,
  };
}

const valueOf = (labels: readonly string[], name: string): string | null =>
  labels
    .find((label) => label.toLowerCase().startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim() || null;

function priorityOf(labels: readonly string[]): number | null {
  const written = valueOf(labels, 'priority') ?? labels.find((label) => /^p\d$/i.test(label)) ?? null;
  return written === null ? null : parsePriority(written);
}

function marksOf({ labels: all, parent, milestone, assignees }: Issue, known: Known): Marks {
  const above = ancestors(parent, known).map(String);
  const labels = all.filter((label) => !has([IN_PROGRESS], label));
  const [story, agent, model] = ['story', 'agent', 'model'].map((name) => valueOf(all, name));
  return {
    ...(above[0] === undefined ? {} : { epic: above[0] }),
    ...(above.length > 1 ? { epics: above } : {}),
    ...(story == null ? {} : { story }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(agent == null ? {} : { agent }),
    ...(model == null ? {} : { model }),
    ...(milestone === null ? {} : { milestone: milestone.title }),
    ...(assignees.length === 0 ? {} : { assignees }),
  };
}

function ancestors(parent: number | null, known: Known): readonly number[] {
  const above: number[] = [];
  for (let at = parent; at !== null && !above.includes(at); at = known.get(at)?.parent ?? null) above.push(at);
  return above;
}

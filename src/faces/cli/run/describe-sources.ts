import { join } from 'node:path';
import { BEADS, isOutside } from '../../../core/model/tasks.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { readPlainText } from '../../../world/os/files.ts';
import { CONFIG_NAME } from '../../../world/target-config.ts';
import { openTaskText } from '../../../world/trackers/task-text.ts';
import type { Project } from '../../call/project.ts';

/** Where a text that a run goes by comes from. */
export interface Source {
  readonly file: string;
  /** The branch and the commit that have it; null: git does not know the file. */
  readonly branch: string | null;
  readonly commit: Sha | null;
  /** What is in the checkout on that branch differs from the commit. */
  readonly edited: boolean;
}

export interface Sources {
  readonly tasks: Source;
  /** Null: there is no configuration file. */
  readonly settings: Source | null;
}

/** Which file at which commit, for who asks before anything starts. */
export async function describeSources(project: Project, tracker: string): Promise<Sources> {
  const outside: Source = { file: tracker, branch: null, commit: null, edited: false };
  return {
    tasks: isOutside(tracker) ? outside : await sourceOf(project, tracker, true),
    settings: await describeSettings(project),
  };
}

export async function describeSettings(project: Project): Promise<Source | null> {
  const { own } = project.config;
  if (own === null) return null;
  return sourceOf(project, own.endsWith(`/${KEPT_NAME}`) ? KEPT_NAME : CONFIG_NAME, false);
}

const KEPT_NAME = `.ralph/${CONFIG_NAME}`;

/** Tasks may have landed that are not published yet; settings count once they are. */
async function sourceOf({ repo, config: { target } }: Project, file: string, isLanded: boolean): Promise<Source> {
  const list = openTaskText(repo, target?.branch ?? null, file);
  const { head, integration, checkout } = await list.stand();
  const landed = isLanded && integration !== null && (await list.at(integration)) !== null ? integration : null;
  const committed = head === null ? null : await list.at(head);
  const commit = landed ?? (committed === null ? null : head);
  if (target === null || commit === null) return { file, branch: null, commit: null, edited: false };
  const here = checkout === null ? null : readPlainText(join(checkout, file));
  const edited =
    checkout !== null && (here === null || !('text' in here) || lines(here.text) !== lines(committed ?? ''));
  return { file, branch: target.branch, commit, edited };
}

/** Line ends of a checkout are not an edit. */
const lines = (text: string): string => text.replaceAll('\r\n', '\n');

const SHORT_DIGITS = 10;

export function sourceInWords({ file, branch, commit, edited }: Source): string {
  if (isOutside(file)) return `the issues of ${file === BEADS ? 'Beads' : 'GitHub'}`;
  if (branch === null || commit === null) return `${file}, which git does not know`;
  return `${file} of ${branch} at ${commit.slice(0, SHORT_DIGITS)}${edited ? ', with your edits' : ''}`;
}

export const settingsInWords = (settings: Source | null, target: string): string =>
  `settings: ${settings === null ? `no ralph.toml on ${target}` : sourceInWords(settings)}`;

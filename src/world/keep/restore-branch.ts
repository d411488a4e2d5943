import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { commitTree } from '../git/objects/commit.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { treeOf } from '../git/objects/tree-edit.ts';
import type { GitView } from '../git/run/view.ts';
import type { KeepPlace } from './keep.ts';
import type { Keep } from './list-keeps.ts';

const NAMES_MAX = 1000;
const NAME_CHARS_MAX = 200;
const PREFIX = 'restored';

/** The commit that holds all files of a keep: its head where nothing was uncommitted, else one more on top of that. */
export async function wholeCommit({ view, identity }: KeepPlace, keep: Keep): Promise<Sha> {
  if (keep.head !== null && keep.tree === (await treeOf(view, keep.head))) return keep.head;
  const message = `Restore uncommitted work of ${keep.name}\n\nKept before ${keep.act}: ${oneLine(keep.why)}\n`;
  return commitTree(view, { tree: keep.tree, parents: keep.head === null ? [] : [keep.head], identity, message });
}

/** A new branch at a commit. No branch that exists is moved; without a wish the next free name is taken. */
export async function makeBranch(view: GitView, keep: Keep, wanted: string | null, commit: Sha): Promise<string> {
  if (wanted !== null) await requireName(view, keep, wanted);
  const reason = `paralph: restored ${keep.id}`;
  for (let tries = 1; tries <= NAMES_MAX; tries += 1) {
    const branch = wanted ?? `${PREFIX}/${keep.name}${tries === 1 ? '' : `-${tries}`}`;
    const ref = `refs/heads/${branch}`;
    if ((await readRef(view, ref)) === null && (await moveRef(view, ref, commit, null, reason)).moved) return branch;
    if (wanted !== null) throw taken(wanted, keep);
  }
  throw new AppError('E_NEEDS_PERSON', `there are ${NAMES_MAX} branches named after ${keep.name}`, {
    remedy: `ralph keep restore ${shellWord(keep.id)} --branch another-name`,
  });
}

async function requireName(view: GitView, keep: Keep, branch: string): Promise<void> {
  const isShort = branch.length <= NAME_CHARS_MAX;
  // Not asked with `--branch`: that also takes `@{-1}` for the name of another one.
  const check = isShort ? await view.run(['check-ref-format', `refs/heads/${branch}`], { ok: [0, 1, 128, 129] }) : null;
  if (check?.code === 0 && !branch.startsWith('-') && branch !== 'HEAD') return;
  throw new AppError('E_USAGE', `${JSON.stringify(branch.slice(0, NAME_CHARS_MAX))} cannot be the name of a branch`, {
    remedy: `ralph keep restore ${shellWord(keep.id)}`,
  });
}

function taken(branch: string, keep: Keep): AppError {
  return new AppError('E_NEEDS_PERSON', `a branch ${branch} exists already, and no branch is moved to make room`, {
    remedy: `ralph keep restore ${shellWord(keep.id)}`,
    facts: ['without --branch the next free name is taken'],
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

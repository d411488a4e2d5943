import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Sha, sha } from '../../core/model/ids.ts';
import { writeBlob } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import type { Repository } from '../git/run/repository.ts';
import { fillIndex, withPrivateIndex } from '../git/files/private-index.ts';

/** What git writes beside HEAD while a merge, rebase, cherry-pick, revert or bisect is under way. */
const FILES = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_RR',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'ORIG_HEAD',
  'SQUASH_MSG',
  'BISECT_LOG',
  'BISECT_START',
  'BISECT_NAMES',
  'BISECT_TERMS',
];
const FOLDERS = ['rebase-merge', 'rebase-apply', 'sequencer'];

/** Whether a name out of a kept tree is one of these, and leads nowhere else. */
export const isOperationFile = (name: string): boolean =>
  FILES.includes(name) ||
  (FOLDERS.includes(name.split('/')[0] ?? '') && /^[\w-]+(?:\/[\w-][\w.-]*)+$/.test(name) && !name.includes('..'));

/** Where in the kept tree: git's own files, and the sides of conflicts. */
export const GIT_FILES = 'git';
export const SIDES = 'sides';

export interface KeptOperation {
  readonly tree: Sha;
  /** Commits it needs to go on. */
  readonly heads: readonly Sha[];
}

/** Writes as a tree what git noted of an operation under way, with the sides of its conflicts. */
export async function captureOperation(
  place: { readonly repo: Repository; readonly view: GitView },
  adminDir: string | null,
  unmerged: readonly string[],
): Promise<KeptOperation> {
  const entries: string[] = unmerged.map((line) => {
    const [, mode = '', id = '', stage = '', path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
    return `${mode} ${id} 0\t${SIDES}/${stage}/${path}`;
  });
  const named = new Set<string>();
  for (const [name, content] of adminDir === null ? [] : filesOf(adminDir)) {
    entries.push(`100644 ${await writeBlob(place.view, content)} 0\t${GIT_FILES}/${name}`);
    for (const [id] of content.toString('latin1').matchAll(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/gm)) named.add(id);
  }
  const tree = await withPrivateIndex(place, null, async (index) => {
    await fillIndex(index, entries);
    return index.writeTree();
  });
  return { tree, heads: await commitsAmong(place.view, [...named]) };
}

function filesOf(adminDir: string): readonly (readonly [name: string, content: Buffer])[] {
  const inside = FOLDERS.flatMap((folder) => namesBelow(adminDir, folder));
  return [...FILES, ...inside].flatMap((name) => {
    try {
      return [[name, readFileSync(join(adminDir, name))] as const];
    } catch {
      return [];
    }
  });
}

function namesBelow(adminDir: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(adminDir, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(adminDir, join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}

async function commitsAmong(view: GitView, ids: readonly string[]): Promise<readonly Sha[]> {
  if (ids.length === 0) return [];
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    input: ids.join('\n') + '\n',
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('commit '))
    .map((line) => sha(line.slice('commit '.length)));
}

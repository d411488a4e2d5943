import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CarryPatterns, isCarried, looksInto } from '../../text/feature/carry-patterns.ts';
import type { GitView } from '../git/run/view.ts';

/** More than that is not settings any more. */
const FILES_MAX = 2000;
const DEPTH_MAX = 12;

/** The files of a checkout that git ignores or does not know and that the patterns ask for, by path from its root. */
export async function listCarried(
  view: GitView,
  root: string,
  index: string,
  patterns: CarryPatterns,
): Promise<readonly string[]> {
  if (patterns.copy.length === 0) return [];
  // Folders of which nothing is tracked come as one name, or all that is installed would be listed.
  const { stdout } = await view.bytes(['ls-files', '--others', '--directory', '-z'], {
    workTree: root,
    env: { GIT_INDEX_FILE: index },
  });
  const names = stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '' && !name.includes('\uFFFD'));
  const found = names.flatMap((name) => {
    if (!name.endsWith('/')) return isCarried(patterns, name) ? [name] : [];
    const folder = name.slice(0, -1);
    return looksInto(patterns, folder) ? filesIn(root, folder, patterns, 0) : [];
  });
  return found.slice(0, FILES_MAX);
}

/** Never through a link, and never into a repository of its own or into what is ours. */
function filesIn(root: string, folder: string, patterns: CarryPatterns, depth: number): readonly string[] {
  const path = join(root, folder);
  if (depth > DEPTH_MAX || folder === '.ralph' || folder === '.git') return [];
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  if (entries.some((entry) => entry.name === '.git')) return [];
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, name, patterns, depth + 1);
    return isCarried(patterns, name) ? [name] : [];
  });
}

import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ifThere, textIfThere } from '../../os/read-if-there.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

const NAMES = ['pre-commit', 'pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'];
const LEFTHOOK = ['lefthook', '.lefthook'].flatMap((name) =>
  ['yml', 'yaml', 'toml', 'json'].map((end) => `${name}.${end}`),
);
const EXECUTABLE = 0o111;

/** What git would run when the user commits: our own commits are made without it. */
export async function findCommitHooks(repo: Repository): Promise<readonly string[]> {
  const { stdout } = await runGit(['rev-parse', '--git-path', 'hooks'], { cwd: repo.root, ok: [0, 128] });
  const folder = resolve(repo.root, stdout.trim());
  return NAMES.filter((name) => {
    // The folder may be anything: `core.hooksPath = /dev/null` is how people switch hooks off.
    const stat = ifThere(() => statSync(join(folder, name), { throwIfNoEntry: false }));
    return stat?.isFile() === true && (stat.mode & EXECUTABLE) !== 0 && !isOfBeads(textIfThere(join(folder, name)));
  });
}

const SECTION = /^# --- BEGIN BEADS INTEGRATION[^]*?^# --- END BEADS INTEGRATION.*$/gm;

/** It brings the issues of Beads along and checks nothing: no commit of ours misses it. */
function isOfBeads(text: string): boolean {
  if (/^# bd \(beads\) [\w-]+ hook$/m.test(text)) return true;
  const rest = text.replace(SECTION, '').replaceAll(/^#.*$/gm, '');
  return rest !== text && text.includes('BEGIN BEADS INTEGRATION') && rest.trim() === '';
}

/** The command that checks all files of a commit, and not those that somebody has staged. */
export const hooksAsGate = ({ root }: Repository): string =>
  LEFTHOOK.some((name) => existsSync(join(root, name)))
    ? 'lefthook run pre-commit --all-files'
    : 'pre-commit run --all-files';

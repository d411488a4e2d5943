import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { shellWord } from '../../core/model/shell-word.ts';
import { runGit } from '../git/run/run-git.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { fixable, foreign } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';
import type { Finding } from '../contract/finding.ts';

const CHECK = 'config';
/** No process is started for a config that cannot say either. */
const SUSPECT = /^[^#;\n]*\b(?:bare\s*(?:$|=\s*"?(?!false\b|no\b|off\b|0\b))|worktree\s*=)/im;

/**
 * A `git init` inside a hook of a linked worktree writes `core.bare = true` into the config all worktrees share, and from
 * then on no git command works in the main checkout. That a checkout is there, its index proves.
 */
export function bareRepair({ repo }: RepairPlace): Repair {
  const file = join(repo.commonDir, 'config');
  const look = async (): Promise<readonly Finding[]> => {
    const text = textIfThere(file);
    const hasCheckout = basename(repo.commonDir) === '.git' && existsSync(join(repo.commonDir, 'index'));
    if (!hasCheckout || !SUSPECT.test(text)) return [];
    const bare = (await ask(file, ['--type=bool', '--get', 'core.bare'])) === 'true';
    const elsewhere = await ask(file, ['--get', 'core.worktree']);
    const said = `${file} says core.bare = true, but ${repo.root} is a checkout: no git command works there`;
    return [...(bare ? [fixable(CHECK, said, 'fail')] : []), ...worktreeElsewhere(repo, file, elsewhere)];
  };
  return {
    check: CHECK,
    look,
    fix: async () => {
      if (!(await look()).some((finding) => finding.fixable === true)) return [];
      await runGit(['config', '--file', file, 'core.bare', 'false'], { cwd: '/' });
      return [`set core.bare back to false in ${file}`];
    },
  };
}

/** Somebody may want it so; only they know. */
function worktreeElsewhere(repo: RepairPlace['repo'], file: string, named: string): readonly Finding[] {
  if (named === '' || realpathLoose(resolve(repo.commonDir, named)) === realpathLoose(repo.root)) return [];
  return [
    foreign(
      CHECK,
      'fail',
      `${file} says core.worktree = ${named}, so git in ${repo.root} works on other files`,
      `git config --file ${shellWord(file)} --unset core.worktree`,
    ),
  ];
}

async function ask(file: string, args: readonly string[]): Promise<string> {
  // From the top folder: git refuses to start in a repository whose config it does not understand.
  const { stdout } = await runGit(['config', '--file', file, ...args], { cwd: '/', ok: [0, 1] });
  return stdout.trim();
}

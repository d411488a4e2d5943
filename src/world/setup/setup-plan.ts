import { createHash } from 'node:crypto';
import type { Sha } from '../../core/model/ids.ts';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import { type Ecosystem, LOCK_FILES, ecosystemsOf } from '../../text/feature/ecosystems.ts';
import { keptInGates, keptInLoops } from '../../text/feature/kept-names.ts';
import { packageManagerOf } from './detect-ecosystems.ts';
import type { Setup } from './run-setup.ts';
import { plainView } from '../git/run/view.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { readTree } from '../git/objects/trees.ts';

/** What a worktree at a commit needs before somebody works in it, by what the commit holds. */
export interface SetupPlan {
  readonly setup: Setup;
  /** The user wrote it: that it works is not for us to doubt. */
  readonly isConfigured: boolean;
  /** Changes with the commands and with every lock file. */
  readonly key: string;
  /** Ignored files that stay, as in .gitignore. */
  readonly kept: { readonly loops: readonly string[]; readonly gates: readonly string[] };
}

/** Only what a lock file pins is installed by itself: without one, two worktrees would get two different things. */
export async function planSetup(repo: Repository, { setup, keep }: WorktreeSettings, commit: Sha): Promise<SetupPlan> {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await runGit([...HARDENED, ...args], { cwd: repo.commonDir })).stdout;
  const top = (await readTree(plainView(repo), commit)).map(({ name, ...entry }) => ({ ...entry, path: name }));
  const names = top.map(({ path }) => path);
  const manifest = top.find(({ path, type }) => path === 'package.json' && type === 'blob');
  const manager = manifest === undefined ? null : packageManagerOf(await git('cat-file', 'blob', manifest.id));
  const found = ecosystemsOf(names, manager);
  const isConfigured = setup !== null;
  const chosen = found.filter(({ lock }) => lock !== null);
  const all = isConfigured ? readList(await git('ls-tree', '-r', '-z', commit)) : top;
  const locks = all.filter(({ path }) => LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1)));
  const commands = isConfigured ? setup : chosen.map((one: Ecosystem) => one.commands);
  return {
    setup: isConfigured ? { lines: setup } : { ecosystems: chosen },
    isConfigured,
    key: createHash('sha256')
      .update(JSON.stringify([commands, locks.map(({ path, id }) => [path, id])]))
      .digest('hex'),
    kept: { loops: keptInLoops(found, keep), gates: keptInGates(found, keep) },
  };
}

/** Whether anything is to be run at all. */
export const isNothing = ({ setup }: SetupPlan): boolean =>
  'lines' in setup ? setup.lines.length === 0 : setup.ecosystems.length === 0;

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly path: string;
}

function readList(output: string): readonly Entry[] {
  return output.split('\0').flatMap((line) => {
    const [, type, id, path] = /^\d+ (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return type === undefined || id === undefined || path === undefined ? [] : [{ type, id, path }];
  });
}

import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GateSettings } from '../../core/model/settings.ts';
import { openGates } from '../gates/gates.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { GitView } from '../git/run/view.ts';

export interface RegenerateOrder {
  readonly commit: Sha;
  readonly tree: Sha;
  readonly path: string;
  /** A shell line as the user wrote it. */
  readonly command: string;
}

/** What the command makes of one file when it runs on a commit; null: it failed, or there is no such file afterwards. */
export type Regenerate = (order: RegenerateOrder) => Promise<Sha | null>;

export interface RegeneratePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly env: NodeJS.ProcessEnv;
  /** Their environment, their limits and what they share count for these commands as well. */
  readonly gates: GateSettings;
  /** A worktree of ours that stands at exactly the commit while `act` runs. */
  readonly withWorktree: <T>(commit: Sha, act: (path: string) => Promise<T>) => Promise<T>;
}

const REMEMBERED_MAX = 256;

/** Commands may ask a network and answer otherwise tomorrow; a train built again must be the same train, so answers are kept. */
export function openRegenerate(place: RegeneratePlace): Regenerate {
  const known = new Map<string, Sha>();
  return async (order) => {
    const key = JSON.stringify([order.tree, order.path, order.command]);
    const before = known.get(key);
    if (before !== undefined && (await isThere(place.view, before))) return before;
    const blob = await place.withWorktree(order.commit, (folder) => regenerate(place, order, folder));
    if (known.size >= REMEMBERED_MAX) known.clear();
    if (blob !== null) known.set(key, blob);
    return blob;
  };
}

async function regenerate(
  { repo, gates, env }: RegeneratePlace,
  { path, command }: RegenerateOrder,
  folder: string,
): Promise<Sha | null> {
  const { signal } = new AbortController();
  const runner = openGates(repo, { ...gates, commands: [command] }, env);
  const order = { path: folder, commit: null, name: 'regenerate', timeoutMs: null };
  const ran = await runner.run({ ...order, signal, force: signal });
  if (ran?.report.verdict !== 'green' || !isOwnFile(folder, path)) return null;
  // As `git add` would store it: line ends and filters are the project's.
  const args = ['hash-object', '-w', '--', path];
  return sha((await runGit([...HARDENED, ...args], { cwd: folder })).stdout.trim());
}

/** No link, and not behind one: what lands is made of what is in the worktree. */
function isOwnFile(folder: string, path: string): boolean {
  const file = join(folder, path);
  try {
    return lstatSync(file).isFile() && realpathSync(file) === join(realpathSync(folder), path);
  } catch {
    return false;
  }
}

async function isThere(view: GitView, blob: Sha): Promise<boolean> {
  return (await view.run(['cat-file', '-e', blob], { ok: [0, 1, 128] })).code === 0;
}

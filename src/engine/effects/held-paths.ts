import { matchProtected, protectedBy } from '../../text/protected-paths.ts';
import { changedScripts, namedByGates } from '../../text/shell/named-by-gates.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { PerformContext } from './perform-context.ts';

/** What clients read in every folder of a repository. */
const READ_BY_AGENTS = ['**/CLAUDE.md', '**/AGENTS.md'];

export interface HeldPaths {
  /** What a person has to see before it lands. */
  readonly held: readonly string[];
  /** What is not held, and later gates and agents go by. */
  readonly obeyed: readonly string[];
}

export const NONE_HELD: HeldPaths = { held: [], obeyed: [] };

/** Sorts out of the changed paths what decides for others: what agents act upon, and what defines the gates. */
export async function heldPaths(
  { world, protect, gateCommands }: Pick<PerformContext, 'world' | 'protect' | 'gateCommands'>,
  { base, head, changed }: { readonly base: Sha; readonly head: Sha; readonly changed: readonly string[] },
): Promise<HeldPaths> {
  // A list that is empty on purpose protects nothing.
  if (protect.length === 0 || changed.length === 0) return NONE_HELD;
  const { files, scripts, recipes } = namedByGates(gateCommands);
  const { worktrees } = world;
  const named = files.filter((file) => matchProtected(changed, [file]).length > 0);
  const known = await worktrees.textsAt(base, named);
  const defining = matchProtected(
    changed,
    named.filter((_, at) => known[at] !== null),
  );
  const manifests = new Set(scripts.map(({ manifest }) => manifest).filter((manifest) => changed.includes(manifest)));
  const called: string[] = [];
  for (const manifest of protectedBy([...manifests], ['**', ...protect.filter((one) => one.startsWith('!'))])) {
    const [before = null] = await worktrees.textsAt(base, [manifest]);
    const [after = null] = await worktrees.textsAt(head, [manifest]);
    called.push(...changedScripts(scripts, manifest, before, after).map((name) => `${manifest} (scripts.${name})`));
  }
  const held = new Set([...protectedBy(changed, protect, defining), ...called]);
  const obeyed = matchProtected(changed, [...READ_BY_AGENTS, ...recipes]).filter((path) => !held.has(path));
  return { held: [...held], obeyed };
}

import { join } from 'node:path';
import { copyFileSync } from 'node:fs';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { restoreCheckout, isConfigKept } from './restore-checkout.ts';
import { gitAt, short, writtenMs } from './scene.ts';
import { AppError } from '../../core/model/errors.ts';
import { commitTree } from '../git/objects/commit.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import type { Finding, Scene } from './scene.ts';
import type { Sha } from '../../core/model/ids.ts';

const SWITCHES = new Set('checkout switch symbolic-ref rebase bisect update-ref reset commit stash branch'.split(' '));

/** The agent made the user's checkout stand on something else. */
export function findHead(scene: Scene): readonly Finding[] {
  const { before, after, place } = scene;
  const { commonDir } = place.repo;
  if (before.head === after.head) return [];
  const atMs = writtenMs(join(commonDir, 'HEAD'));
  const isTheirs = atMs !== null && gitAt(scene, SWITCHES, atMs) !== undefined;
  if (!isTheirs && !scene.programmed(join(commonDir, 'HEAD'))) return [];
  const did = `switched the main checkout from ${standing(before.head)} to ${standing(after.head)}`;
  const keep = after.headCommit === null ? [] : [{ commit: after.headCommit }];
  return [{ did, keep, restore: restorerOf(scene) }];
}

/** Undefined: it stands on no branch. */
const refIn = (head: string): string | undefined => /^ref: (\S+)/.exec(head)?.[1];

function standing(head: string): string {
  return /^ref: (?:refs\/heads\/)?(.*)/.exec(head.trim())?.[1] ?? short(head.trim());
}

function restorerOf(scene: Scene): Finding['restore'] {
  const { before, after } = scene;
  const said = `the main checkout is on ${standing(before.head)}`;
  const back = async (): Promise<boolean> =>
    textIfThere(join(scene.place.repo.commonDir, 'HEAD')) === after.head && pointHead(scene);
  if (before.headCommit === null || after.headCommit === null) return null;
  // Its branch may have gone on while nobody stood on it.
  const to = after.refs[refIn(before.head) ?? ''] ?? before.headCommit;
  if (to === after.headCommit && before.checkout?.indexHash === after.checkout?.indexHash)
    return async () => ((await back()) ? said : null);
  return restoreCheckout(scene, { from: after.headCommit, to, back, said });
}

async function pointHead({ before, place }: Scene): Promise<boolean> {
  const ref = refIn(before.head);
  const reason = 'paralph: an agent had switched it';
  const args =
    ref === undefined
      ? ['update-ref', '--no-deref', '-m', reason, 'HEAD', before.head.trim()]
      : ['symbolic-ref', '-m', reason, 'HEAD', ref];
  return (await runGit([...HARDENED, ...args], { cwd: place.repo.root, ok: [0, 1, 128] })).code === 0;
}

const STAGES = new Set('add stage rm mv reset restore update-index apply read-tree checkout merge'.split(' '));

/** The agent staged something for the user. Where it moved their branch or HEAD too, that says it already. */
export async function findIndex(scene: Scene): Promise<readonly Finding[]> {
  const { before, after, place } = scene;
  // Who works in the checkout may stage what it made there.
  if (scene.iteration.inPlace === true) return [];
  if (before.checkout?.indexHash === after.checkout?.indexHash || before.headCommit !== after.headCommit) return [];
  const indexFile = join(place.repo.commonDir, 'index');
  const atMs = writtenMs(indexFile);
  const command = atMs === null ? undefined : gitAt(scene, STAGES, atMs);
  if (command === undefined) return [];
  const staged = await commitStaged(scene, indexFile);
  // Nothing was staged before, and the agent wrote it last: all there is is its own.
  const isItsOwn = staged !== null && before.checkout?.isIndexHead === true;
  const restore = async (): Promise<string | null> => {
    if (!isConfigKept(scene) || writtenMs(indexFile) !== atMs) return null;
    const { code } = await runGit([...HARDENED, 'reset', '-q'], { cwd: place.repo.root, ok: [0, 1, 128] });
    return code === 0 ? 'the index of the main checkout' : null;
  };
  const did = `changed the index of the main checkout (git ${command.name})`;
  return [{ did, keep: staged === null ? [] : [{ commit: staged }], restore: isItsOwn ? restore : null }];
}

/** Null: there is something in it that no tree can hold. */
async function commitStaged(scene: Scene, indexFile: string): Promise<Sha | null> {
  const { place, before, iteration } = scene;
  try {
    const tree = await withPrivateIndex(place, null, async (index) => {
      copyFileSync(indexFile, index.file);
      return index.writeTree();
    });
    const parents = before.headCommit === null ? [] : [before.headCommit];
    const message = `What ${iteration.loop} staged outside its worktree\n`;
    return await commitTree(place.view, { tree, parents, identity: place.identity, message });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { commitTree } from '../git/objects/commit.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import { isConfigKept } from './restore-checkout.ts';
import { gitAt, writtenMs } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

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

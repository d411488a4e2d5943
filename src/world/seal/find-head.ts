import { join } from 'node:path';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { restoreCheckout } from './restore-checkout.ts';
import { gitAt, short, writtenMs } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

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
  const said = `the main checkout stands on ${standing(before.head)}`;
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

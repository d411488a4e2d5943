import { gitSays } from '../e2e/harness/git.ts';
import { crowd } from './crowd.ts';
import type { GreenWatch } from './landings-right.ts';
import { doubleLandings } from './landings-right.ts';
import type { LoopsInPlace } from './loops-in-place.ts';
import { sweptUp } from './loops-in-place.ts';
import { ownComplaints, ownThings } from './own-things.ts';
import type { People } from './people.ts';
import type { Scene } from './scene.ts';
import { INT } from './scene.ts';
import type { Strangers } from './strangers.ts';
import type { User } from './user.ts';
import { filesComplaints } from './users-files.ts';
import { lostCommits, lostFiles } from './work-kept.ts';

export interface Judged {
  readonly scene: Scene;
  readonly user: User;
  readonly strangers: Strangers;
  readonly green: GreenWatch;
  readonly people: Pick<People, 'complaints'>;
  readonly inPlace: Pick<LoopsInPlace, 'isAmid'>;
}

/** What must hold at every moment, with hosts and agents at work or dead. */
export function judgeAnytime({ scene, user, strangers, green, people, inPlace }: Judged): readonly string[] {
  green.look();
  return [
    ...told(() => lostCommits(scene)),
    ...told(() => doubleLandings(scene)),
    ...told(() => strangers.complaints()),
    ...told(() => ownComplaints(user.own(), ownThings(scene, user.worktree))),
    ...told(() => people.complaints()),
    // What an agent in their checkout did to their files is put right when its iteration is over.
    ...(inPlace.isAmid() ? [] : told(() => filesComplaints(scene, user))),
  ];
}

/** In a repository that is broken enough, even the question fails. */
function told(look: () => readonly string[]): readonly string[] {
  try {
    return look();
  } catch (error) {
    return [`broken: ${String(error)}`];
  }
}

/** What must hold besides when nobody is at work. */
export function judgeQuiet(judged: Judged): readonly string[] {
  const { scene, green, user } = judged;
  return [
    ...judgeAnytime(judged),
    ...fsck(scene),
    ...told(() => lostFiles(scene)),
    ...told(() => green.red()),
    ...told(() => lostUserCommits(scene, user)),
    ...told(() => sweptUp(scene, user)),
    ...crowd(scene).map(({ pid, command }) => `left over: process ${pid} ${command}`),
  ];
}

function lostUserCommits({ git }: Scene, { commits }: User): readonly string[] {
  const refs = ['refs/heads/main', INT].filter((ref) => gitSays(git, 'rev-parse', '--verify', '--quiet', ref));
  const reached = new Set(git('rev-list', ...refs).split('\n'));
  return [...commits].filter((one) => !reached.has(one)).map((one) => `lost: the user's commit ${one}`);
}

function fsck({ git }: Scene): readonly string[] {
  try {
    const said = git('fsck', '--full', '--no-dangling', '--no-progress');
    return said === '' ? [] : [`git fsck says ${said}`];
  } catch (error) {
    return [`git fsck fails: ${String(error)}`];
  }
}

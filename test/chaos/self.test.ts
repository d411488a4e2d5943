import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { bundle } from '../e2e/harness/bundle.ts';
import { until } from '../e2e/harness/until.ts';
import { itOn } from '../needs.ts';
import { createRandom } from '../sim/model/random.ts';
import { hit, statOf } from './crowd.ts';
import type { Judged } from './judge.ts';
import { judgeQuiet } from './judge.ts';
import { watchGreen } from './landings-right.ts';
import { makePlace } from './place.ts';
import { forgeBook, INT, makeScene } from './scene.ts';
import { startStrangers } from './strangers.ts';
import { makeUser } from './user.ts';

type Fault = readonly [what: string, commit: (judged: Judged) => void, said: RegExp];

const SHA = /^[0-9a-f]{40}$/;

/** A commit on top of main that no ref names. */
function loose({ scene }: Judged, message: string): string {
  const made = scene.git('commit-tree', '-p', 'main', '-m', message, 'main^{tree}');
  expect(made).toMatch(SHA);
  return made;
}

/** A commit on top of a ref, with one file more. */
function add({ scene: { git, repo } }: Judged, path: string, text: string, message: string): void {
  mkdirSync(join(repo, path, '..'), { recursive: true });
  writeFileSync(join(repo, path), text);
  git('add', path);
  git('commit', '-q', '-m', message, '--', path);
}

/** A commit of a loop's that holds a file the user has and has not committed. */
function withFile(one: Judged, path: string, text: string): string {
  const { git, repo } = one.scene;
  mkdirSync(join(repo, path, '..'), { recursive: true });
  writeFileSync(join(repo, path), text);
  one.user.noteChanged(path, text);
  git('add', path);
  const tree = git('write-tree');
  git('rm', '-q', '--cached', path);
  return git('commit-tree', '-p', 'main', '-m', 'swept', tree);
}

/** Each fault is one that a broken host could commit. */
const FAULTS: readonly Fault[] = [
  [
    'a commit of an agent that nothing reaches',
    (one) => forgeBook(one.scene, 'commits', `${loose(one, 'gone')} t1-abcd`),
    /^lost: commit/,
  ],
  [
    'a file of an agent that is nowhere',
    ({ scene }) => forgeBook(scene, 'files', `${'1'.repeat(40)} t1 ${scene.root}/nowhere`),
    /^lost: .*nowhere/,
  ],
  [
    'a commit of the user that is gone',
    ({ scene, user }) => scene.git('reset', '-q', '--soft', `${[...user.commits].at(-1)}~1`),
    /^lost: the user's commit/,
  ],
  [
    'a task that landed twice by its trailers',
    (one) => [1, 2].forEach((n) => add(one, `twice/${n}`, '', `Land it\n\nRalph-Task: t1`)),
    /^double: t1/,
  ],
  ['a task that landed twice by its tokens', (one) => add(one, 'tokens/t2', 'one\ntwo\n', 'tokens'), /^double: .*t2/],
  ['a red main', (one) => add(one, 'work/t3.txt', 'RED t3\n', 'red'), /^red: /],
  [
    'a signal to a stranger',
    ({ strangers }) => strangers.pids.slice(0, 1).forEach((pid) => process.kill(pid, 'SIGTERM')),
    /stranger .* was sent TERM/,
  ],
  [
    'a stranger that was killed',
    ({ strangers }) =>
      strangers.pids.slice(1, 2).forEach((pid) => hit({ pid, name: `${pid}.${statOf(pid)?.start}` }, 'SIGKILL')),
    /stranger .* was killed/,
  ],
  ['a stash that is gone', ({ scene }) => scene.git('stash', 'drop', '-q'), /the user's refs\/stash/],
  [
    'a branch that was moved',
    ({ scene }) => scene.git('update-ref', 'refs/heads/mine/0', loose({ scene } as Judged, 'x')),
    /the user's refs\/heads\/mine\/0/,
  ],
  ['a setting that was changed', ({ scene }) => scene.git('config', 'una.note', 'planted'), /the user's .*config/],
  [
    'a hook that was changed',
    ({ scene }) => writeFileSync(join(scene.repo, '.git/hooks/post-commit'), ''),
    /the user's .*post-commit/,
  ],
  [
    'a file in their worktree',
    ({ user }) => writeFileSync(join(user.worktree, 'dirty.txt'), ''),
    /the user's .*dirty\.txt/,
  ],
  [
    'a changed file of theirs',
    ({ scene }) => writeFileSync(join(scene.repo, 'notes.txt'), ''),
    /uncommitted notes\.txt/,
  ],
  [
    "a file of theirs in a loop's commit",
    (one) => one.scene.git('update-ref', 'refs/heads/ralph/t1', withFile(one, 'mine/7.txt', 'not in git 7\n')),
    /^swept: .*mine\/7\.txt/,
  ],
  ['an object that is damaged', ({ scene }) => damageObject(join(scene.repo, '.git/objects')), /git fsck/],
];

/** Empty, as a power cut leaves them. */
function damageObject(folder: string): void {
  mkdirSync(join(folder, '00'), { recursive: true });
  writeFileSync(join(folder, '00', '1'.repeat(38)), '');
}

describe('chaos', () => {
  itOn('linux')('case 103: what judges a round sees each kind of fault that is planted', async () => {
    const place = makePlace();
    const { main, scriptedAgent } = bundle();
    const random = createRandom(1);
    const scene = makeScene(place, random, ['t1', 't2'], { main, scriptedAgent, testMain: null });
    scene.git('update-ref', INT, 'main');
    const user = makeUser(scene);
    await user.does('commit', random);
    await user.does('change', random);
    const strangers = await startStrangers(scene, [scene.repo, user.worktree]);
    try {
      const people = { complaints: () => [] };
      const judged: Judged = {
        scene,
        user,
        strangers,
        people,
        inPlace: { isAmid: () => false },
        green: watchGreen(scene),
      };
      expect(judgeQuiet(judged)).toEqual([]);
      for (const [what, plant, said] of FAULTS) {
        plant(judged);
        await until(what, () => judgeQuiet(judged).some((line) => said.test(line)));
      }
    } finally {
      strangers.end();
      place.remove();
    }
  });
});

import { renameSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { landedTasks, refsBelow } from '../harness/git.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, trainProject, watchedGate } from '../harness/train.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
const OPEN = { isCheckoutGuarded: false };
const keeps = (one: Scratch): readonly string[] => refsBelow(one.git, 'refs/paralph/keep/');
const objectOf = (one: Scratch, id: string): string => join(one.repo, '.git/objects', id.slice(0, 2), id.slice(2));
const PUT_BACK = /refs that keep work were deleted or moved, and are put back: .*/g;

/** t1 is ready and kept; what t2 does stands in the file beside. */
function kept(one: Scratch, act = ':'): void {
  // A git that leaves no trace of the agent.
  const script = `${OWN_FILE}
    g() { env -i PATH="$PATH" HOME="$HOME" git "$@"; }
    case $RALPH_TASK_ID in t2)\n${act}\n;; esac
    ${CLAIM}`;
  const config = { parallel: { merge_policy: 'manual' } };
  trainProject(one, { tasks: ['t1', 't2'], gate: watchedGate(one, 'true'), script, config });
}

const ready = savedScene(async (one) => {
  kept(one);
  const { code, stderr } = await ralph(one, RUN);
  expect(code, stderr).toBe(0);
});

describe('mend a: the log has a list of what is kept', () => {
  it.each([
    ['deleted', 'for ref in $(g for-each-ref --format="%(refname)" refs/paralph/keep); do g update-ref -d $ref; done'],
    ['moved', 'for ref in $(g for-each-ref --format="%(refname)" refs/paralph/keep); do g update-ref $ref main; done'],
    ['removed as files', 'rm -rf "$(g rev-parse --git-common-dir)/refs/paralph/keep"'],
    [
      'packed and cut out',
      'common=$(g rev-parse --git-common-dir); g pack-refs --all; grep -v paralph/keep $common/packed-refs > $common/p; mv $common/p $common/packed-refs',
    ],
  ])('mend a: refs that keep work, %s by an agent, are put back, and that is said once', async (_, act) => {
    const one = scratch();
    kept(one, act);
    const { code, stderr } = await ralph(one, RUN, OPEN);
    expect(code, stderr).toBe(0);
    const head = one.git('for-each-ref', '--format=%(objectname)', 'refs/heads/ralph/t1-*');
    expect(one.git('for-each-ref', '--points-at', head, 'refs/paralph/keep'), stderr).not.toBe('');
    expect(stderr.match(PUT_BACK)).toEqual([expect.stringContaining(`/${head.slice(0, 12)}`)]);
    expect((await ralph(one, RUN, OPEN)).stderr).not.toMatch(PUT_BACK);
  });

  it('mend a: deleted between two commands, the next run or doctor --fix puts them back', async () => {
    const one = await ready();
    const before = keeps(one);
    expect(before.length).toBeGreaterThan(1);
    for (const ref of before) one.git('update-ref', '-d', ref);
    const run = await ralph(one, RUN);
    expect([run.stderr.match(PUT_BACK)?.length, keeps(one)]).toEqual([1, before]);
    for (const ref of before) one.git('update-ref', '-d', ref);
    const fixed = await ralph(one, ['doctor', '--fix']);
    expect([fixed.stdout.match(PUT_BACK)?.length, keeps(one)]).toEqual([1, before]);
  });

  it('mend a: what git has collected cannot come back, and that is said once', async () => {
    const one = await ready();
    const [ref = ''] = keeps(one);
    const commit = one.git('rev-parse', ref);
    one.git('update-ref', '-d', ref);
    renameSync(objectOf(one, commit), beside(one, 'object'));
    const run = await ralph(one, ['doctor', '--fix']);
    expect(run.stdout).toContain(`refs that kept work are gone, and so are their commits: ${ref}`);
    expect((await ralph(one, ['doctor', '--fix'])).stdout).not.toContain('refs that kept work');
    renameSync(beside(one, 'object'), objectOf(one, commit));
  });

  it('mend a: what landed, and what is dropped on purpose, stays gone', async () => {
    const one = await ready();
    const [first = '', second = ''] = keeps(one);
    const id = second.slice('refs/paralph/keep/'.length);
    const unsure = await ralph(one, ['keep', 'drop', id]);
    expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining(`ralph keep drop ${id} -y`)]);
    expect((await ralph(one, ['keep', 'drop', id, '-y'])).code).toBe(0);
    expect(keeps(one)).toEqual([first]);
    const landed = await ralph(one, ['land', '--all']);
    const next = await ralph(one, RUN);
    expect([landed.code, (landed.stderr + next.stderr).match(PUT_BACK), keeps(one)]).toEqual([0, null, []]);
  });
});

it('mend a: refs of a train that somebody deletes while its gates run are put back, and that is said', async () => {
  const one = scratch();
  const gate = watchedGate(one, 'true');
  await readyTrain(one, { tasks: ['t1', 't2'], gate, script: `${OWN_FILE}; ${CLAIM}` });
  const before = gate.runs();
  gate.hold();
  const landing = startRalph(one, ['land', '--all']);
  await gate.begun(before + 1);
  const train = refsBelow(one.git, 'refs/paralph/cand/');
  expect(train).not.toEqual([]);
  for (const ref of train) one.git('update-ref', '-d', ref);
  await until('they are back', () => String(refsBelow(one.git, 'refs/paralph/cand/')) === String(train));
  gate.letGo();
  const { code, stderr } = await landing.ended;
  expect([code, stderr.match(/no ref holds .* of the train any more: restored from the log/g)?.length]).toEqual([0, 1]);
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(['t1', 't2']);
});

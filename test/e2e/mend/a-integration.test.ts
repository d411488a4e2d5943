import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { parseEvents } from '../harness/events.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import { alwaysGreen, INT } from '../harness/values.ts';

const TRUTH = 'test ! -e BROKEN';
const RUN = ['run', '--parallel', '--max-workers', '1'];

/** A git that leaves no trace of the agent, and a red commit on top of integration. */
const makeBad = (one: Scratch): string =>
  [
    'g() { env -i PATH="$PATH" HOME="$HOME" git "$@"; }',
    'common=$(g rev-parse --path-format=absolute --git-common-dir)',
    `int=$(g rev-parse ${INT})`,
    'blob=$(echo x | g hash-object -w --stdin)',
    "tree=$( (g ls-tree $int; printf '100644 blob %s\\tBROKEN\\n' $blob) | g mktree )",
    'BAD=$(g -c user.name=x -c user.email=x@x commit-tree -p $int -m bad $tree)',
    `echo $BAD > ${beside(one, 'bad')}`,
  ].join('\n');

const badOf = (one: Scratch): string => readFileSync(beside(one, 'bad'), 'utf8').trim();

function intruded(one: Scratch, act: string): void {
  const moved = beside(one, 'moved');
  const evil = `${makeBad(one)}\n${act.replaceAll('MOVED', moved)}`;
  const gate = watchedGate(one, TRUTH);
  // What is done to the ref is done before any gate has its say.
  const patient = `i=0; while ! test -e ${moved} && test $i -lt 100; do i=$((i+1)); sleep 0.1; done; ${gate.command}`;
  const script = `${OWN_FILE}\ncase $RALPH_TASK_ID in t2)\n${evil}\n;; esac\n${CLAIM}`;
  trainProject(one, { tasks: ['t1', 't2', 't3'], gate: { ...gate, command: patient }, script });
  writeFileSync(moved, '');
}

/** Main never held the red commit, and nothing of it is lost. */
function held(one: Scratch): void {
  alwaysGreen(one, TRUTH, { refs: ['refs/heads/main'] });
  expect(gitSays(one.git, 'cat-file', '-e', 'main:BROKEN')).toBe(false);
  expect(one.git('rev-parse', INT)).toBe(one.git('rev-parse', 'main'));
}

describe('mend a: the log decides where integration is', () => {
  it.each([
    ['update-ref', `g update-ref ${INT} $BAD`, true],
    ['the file of the ref', `echo $BAD > $common/${INT}`, true],
    [
      'packed-refs',
      `g pack-refs --all; sed "s|^[0-9a-f]* ${INT}\\$|$BAD ${INT}|" $common/packed-refs > $common/p && mv $common/p $common/packed-refs && rm -f $common/${INT}`,
      true,
    ],
    [
      'a process that outlives its iteration',
      `rm MOVED; (setsid env -i PATH="$PATH" HOME="$HOME" sh -c "cd $common; while kill -0 $$ 2>/dev/null; do sleep 0.05; done; git update-ref ${INT} $BAD; touch MOVED" > /dev/null 2>&1 &)`,
      true,
    ],
    ['deletion', `g update-ref -d ${INT}`, false],
    ['going back', `echo $int > /dev/null; g update-ref ${INT} $(g rev-list --max-parents=0 $int)`, false],
    ['a broken file', `echo nonsense > $common/${INT}`, false],
    ['a pointer', `g update-ref refs/evil $BAD; g symbolic-ref ${INT} refs/evil`, true],
  ])('mend a: moved by %s, it is put back, and main never goes there', async (_, act, isKept) => {
    const one = scratch();
    intruded(one, act);
    const { code, stdout, stderr } = await ralph(one, [...RUN, '--events'], { isCheckoutGuarded: false });
    expect([0, 1], stderr).toContain(code);
    held(one);
    expect(landedTasks(one.git, 'main')).toEqual(expect.arrayContaining(['t1', 't3']));
    const events = parseEvents(stdout);
    const said = events.some(({ type }) => type === 'integration-put-back');
    const breach = events.some((event) => JSON.stringify(event['breach'] ?? '').includes('int/main'));
    expect(said || breach, stdout).toBe(true);
    if (!isKept) return;
    expect(one.git('for-each-ref', '--contains', badOf(one), 'refs/paralph/keep')).not.toBe('');
    expect(stdout + stderr).toContain(badOf(one).slice(0, 10));
  });
});

/** Everything is landed and nothing published. */
const landed = savedScene(async (one) => {
  const config = { landing: { publish: 'manual' } };
  trainProject(one, { tasks: ['t1'], gate: watchedGate(one, TRUTH), script: `${OWN_FILE}; ${CLAIM}`, config });
  const { code, stderr } = await ralph(one, RUN);
  expect(code, stderr).toBe(0);
});

/** A commit of somebody's on top of integration, and integration there. */
function moveTo(
  one: Scratch,
  files: Readonly<Record<string, string>>,
): { readonly good: string; readonly bad: string } {
  const good = one.git('rev-parse', INT);
  one.git('checkout', '-q', '--detach', INT);
  const bad = userCommits(one, files, 'Not landed');
  one.git('checkout', '-q', 'main');
  one.git('update-ref', INT, bad);
  return { good, bad };
}

describe('mend a: publishing asks the log', () => {
  it('mend a: publish refuses what no landing is, names it, puts it aside, and then publishes what landed', async () => {
    const one = await landed();
    const main = one.git('rev-parse', 'main');
    // Green or not: nobody has tested it.
    const { good, bad } = moveTo(one, { 'fine.txt': 'fine\n' });
    const doctor = await ralph(one, ['doctor']);
    expect([doctor.code, doctor.stdout]).toEqual([4, expect.stringContaining(bad)]);
    const refused = await ralph(one, ['publish']);
    expect([refused.code, one.git('rev-parse', 'main'), one.git('rev-parse', INT)]).toEqual([6, main, good]);
    expect(refused.stderr).toContain(bad);
    expect(one.git('for-each-ref', '--format=%(objectname)', 'refs/paralph/keep/integration')).toBe(bad);
    const published = await ralph(one, ['publish']);
    expect([published.code, one.git('rev-parse', 'main')], published.stderr).toEqual([0, good]);
    expect((await ralph(one, ['why', 't1'])).stdout).toContain(bad);
  });

  it('mend a: doctor --fix puts it back, and a deleted ref comes back with the next command', async () => {
    const one = await landed();
    const { good, bad } = moveTo(one, { 'fine.txt': 'fine\n' });
    const fixed = await ralph(one, ['doctor', '--fix']);
    expect([fixed.stdout, one.git('rev-parse', INT)]).toEqual([expect.stringContaining(bad), good]);
    one.git('update-ref', '-d', INT);
    const published = await ralph(one, ['publish']);
    expect([published.code, one.git('rev-parse', 'main'), one.git('rev-parse', INT)]).toEqual([0, good, good]);
  });

  it('mend a: in the next run it is put back, kept and named in the summary', async () => {
    const one = await landed();
    const { good, bad } = moveTo(one, { BROKEN: 'x\n' });
    const { code, stdout, stderr } = await ralph(one, [...RUN, '--publish', 'end', '--json']);
    expect(code, stderr).toBe(0);
    expect([one.git('rev-parse', INT), one.git('rev-parse', 'main')]).toEqual([good, good]);
    expect((JSON.parse(stdout) as { put_back: string[] }).put_back).toEqual([expect.stringContaining(bad)]);
    expect(stderr).toContain(`put back: ${INT} was moved to ${bad}`);
  });
});

describe('mend a: where the log was lost', () => {
  const lose = (one: Scratch): void => rmSync(join(one.repo, '.git/paralph'), { recursive: true });

  it('mend a: what is green is believed after its gates, what no gate has seen is not published', async () => {
    const one = await landed();
    const good = one.git('rev-parse', INT);
    lose(one);
    const main = one.git('rev-parse', 'main');
    const refused = await ralph(one, ['publish']);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(good)]);
    expect(one.git('rev-parse', 'main')).toBe(main);
    const runs = readFileSync(beside(one, 'gate-runs'), 'utf8').length;
    const done = await ralph(one, ['land', '--all', '--publish', 'end']);
    expect([done.code, one.git('rev-parse', 'main')], done.stderr).toEqual([0, good]);
    expect(readFileSync(beside(one, 'gate-runs'), 'utf8').length).toBeGreaterThan(runs);
  });

  it('mend a: what is red is kept aside, and integration goes back to the target', async () => {
    const one = await landed();
    const { bad } = moveTo(one, { BROKEN: 'x\n' });
    const main = one.git('rev-parse', 'main');
    lose(one);
    const { code, stderr } = await ralph(one, [...RUN, '--publish', 'end']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(bad);
    held(one);
    // Its task was on what was put aside, so it was done anew, from the target.
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
    expect(one.git('merge-base', 'main', bad)).toBe(main);
    expect(one.git('for-each-ref', '--contains', bad, 'refs/paralph/keep')).not.toBe('');
    expect(existsSync(join(one.repo, '.git/paralph/log'))).toBe(true);
  });
});

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Step } from '../../scripted/scenario.ts';
import { planOf, summaryOf } from '../harness/answers.ts';
import type { Git } from '../harness/git.ts';
import { gitIn, refsBelow } from '../harness/git.ts';
import { HONEST, markdownTasks, project, starts } from '../harness/project.ts';
import type { Result } from '../harness/ralph.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
/** Landings of a task in the whole history of branches. */
const landings = (git: Git, refs: readonly string[], task: string): string[] =>
  git('log', '--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)', ...refs)
    .split('\n')
    .filter((line) => line === task);

interface Clones {
  readonly one: Scratch;
  /** The other clone of the same remote. */
  readonly other: Git;
  /** Does a task there and pushes it. */
  readonly doThere: (task: string) => Promise<void>;
  readonly run: (args: readonly string[]) => Promise<Result>;
}

const GO = 'go';

/** Two clones of one bare repository. What the first does of t1 waits for a sign. */
function clones(isTracked = true): Clones {
  const one = scratch();
  const steps: Step[] = [{ waitForFile: { path: beside(one, GO) } }, ...HONEST];
  const tasks = isTracked
    ? { tasks: ['t1', 't2'] }
    : { tasks: { 'notes.txt': '' }, files: { '.gitignore': 'PRD.md\n' } };
  project(one, { ...tasks, byTask: { t1: steps } });
  const [origin, there] = [beside(one, 'origin.git'), beside(one, 'other')];
  one.git('init', '-q', '--bare', '-b', 'main', origin);
  one.git('remote', 'add', 'origin', origin);
  one.git('push', '-q', '-u', 'origin', 'main');
  one.git('clone', '-q', origin, there);
  const other = gitIn(there, one.env);
  other('config', 'user.name', 'Otto Other');
  other('config', 'user.email', 'otto@example.com');
  if (!isTracked) {
    one.put('PRD.md', markdownTasks(['t1', 't2']));
    copyFileSync(join(one.repo, 'PRD.md'), join(there, 'PRD.md'));
  }
  const run = (args: readonly string[]): Promise<Result> => ralph(one, args, { isCheckoutGuarded: false });
  const agent = [
    '--set',
    `agents.scripted.command=["sh","-c","echo there > $RALPH_TASK_ID-there.txt; echo '<promise>COMPLETE</promise>'"]`,
  ];
  const doThere = async (task: string): Promise<void> => {
    const done = await ralph(one, [...RUN, '--task', task, ...agent], { cwd: there, isCheckoutGuarded: false });
    expect(done.code, done.stderr).toBe(0);
    other('push', '-q', 'origin', 'main');
  };
  return { one, other, doThere, run };
}

/** Starts t1 here, has the other clone do it meanwhile, and lets this one end. */
async function doTwice({ one, doThere }: Clones, meanwhile: () => void, also: readonly string[] = []): Promise<Result> {
  const here = startRalph(one, [...RUN, '--json', ...also]);
  await until('t1 is at work here', () => starts(one).some(({ task }) => task === 't1'));
  await doThere('t1');
  meanwhile();
  writeFileSync(beside(one, GO), '');
  return here.ended;
}

async function expectDuplicate({ one, run }: Clones, { stdout, stderr, code }: Result, where: string): Promise<void> {
  const { landed, parked } = summaryOf(stdout);
  expect([code, landed], stderr).toEqual([1, ['t2']]);
  expect(parked).toEqual([expect.objectContaining({ task: 't1', reason: 'duplicate' })]);
  const why = await run(['why', 't1']);
  expect(why.stdout).toContain(`t1 is done on ${where}`);
  const [, kept = ''] = /(refs\/paralph\/keep\/t1\S+)/.exec(why.stdout.replace(/[.,]$/m, '')) ?? [];
  expect(refsBelow(one.git, 'refs/paralph/keep/')).toContain(kept.replace(/\.$/, ''));
  expect(one.git('show', `${kept.replace(/\.$/, '')}:t1.txt`)).toBe('made by t1');
}

it('mend 6: what is ticked on the remote’s target is done there: it is not started here, and that is said', async () => {
  const { one, doThere, run } = clones();
  await doThere('t1');
  const { code, stderr } = await run(RUN);
  expect([code, starts(one).map(({ task }) => task)], stderr).toEqual([0, ['t2']]);
  expect(stderr).toContain('done on origin/main, so not started here: t1');
  const plan = planOf((await run([...RUN, '--dry-run', '--json'])).stdout);
  expect(plan.waiting.find(({ task }) => task === 't1')?.why).toBe('done on origin/main');
  expect((await run(['why', 't1'])).stdout).toContain('It is done on origin/main.');
});

it('mend 6: done in another clone and pulled while a loop works on it: the second is put aside, kept and named', async () => {
  const both = clones();
  const { one, other } = both;
  const ended = await doTwice(both, () => one.git('pull', '-q', '--ff-only'));
  await expectDuplicate(both, ended, 'main');
  one.git('push', '-q', 'origin', 'main');
  other('pull', '-q', '--ff-only');
  for (const git of [one.git, other]) expect(landings(git, ['main'], 't1')).toEqual(['t1']);
  expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('t1.txt');
});

it('mend 6: done in another clone and only fetched: the second does not land either', async () => {
  const both = clones();
  const { one } = both;
  const ended = await doTwice(both, () => one.git('fetch', '-q'));
  await expectDuplicate(both, ended, 'origin/main');
  for (const task of ['t1', 't2']) expect(landings(one.git, ['main', 'origin/main'], task)).toEqual([task]);
});

it('mend 6: done in another clone and only pushed there: the remote is asked before the second lands', async () => {
  const both = clones();
  const ended = await doTwice(both, () => undefined);
  await expectDuplicate(both, ended, 'origin/main');
  for (const task of ['t1', 't2']) expect(landings(both.one.git, ['main', 'origin/main'], task)).toEqual([task]);
});

it('mend 6: nobody is asked where that is not wanted, and a remote that does not answer keeps nothing from landing', async () => {
  const both = clones();
  const { one } = both;
  const before = one.git('rev-parse', 'origin/main');
  const ended = await doTwice(both, () => undefined, ['--set', 'landing.fetch=false']);
  expect([ended.code, one.git('rev-parse', 'origin/main')], ended.stderr).toEqual([0, before]);
  one.git('config', 'remote.origin.uploadpack', 'false');
  one.put('PRD.md', `${readFileSync(join(one.repo, 'PRD.md'), 'utf8')}- [ ] More <!-- id:t3 -->\n`);
  const deaf = await both.run(RUN);
  expect([deaf.code, one.git('rev-parse', 'origin/main')], deaf.stderr).toEqual([0, before]);
  expect(landings(one.git, ['main'], 't3')).toEqual(['t3']);
});

it('mend 6: where git does not know the task file, the trailer of a landing tells', async () => {
  const both = clones(false);
  const ended = await doTwice(both, () => both.one.git('pull', '-q', '--ff-only'));
  await expectDuplicate(both, ended, 'main');
  expect(landings(both.one.git, ['main'], 't1')).toEqual(['t1']);
});

it('mend 6: pulled in the moment in which a run begins, what is done there is not done again', async () => {
  const { one, doThere } = clones();
  await doThere('t1');
  writeFileSync(beside(one, GO), '');
  one.git('fetch', '-q', beside(one, 'origin.git'), 'main');
  const [script, theirs] = [beside(one, 'ssh.sh'), one.git('rev-parse', 'FETCH_HEAD')];
  // The remote is asked, and while it thinks, main gets what the other clone has done.
  writeFileSync(script, `unset GIT_DIR; git -C '${one.repo}' merge -q --ff-only ${theirs} >&2; exit 1\n`);
  one.git('remote', 'set-url', 'origin', 'ssh://nowhere.invalid/x');
  const env = { GIT_SSH_COMMAND: `sh ${script}`, GIT_SSH_VARIANT: 'simple' };
  const { code, stderr } = await ralph(one, RUN, { env, isCheckoutGuarded: false });
  expect([code, starts(one).map(({ task }) => task)], stderr).toEqual([0, ['t2']]);
  expect(landings(one.git, ['main'], 't1')).toEqual(['t1']);
});

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { gitIn } from '../e2e/harness/git.ts';
import type { Git } from '../e2e/harness/git.ts';
import { markdownTasks } from '../e2e/harness/project.ts';
import { beside, ralph } from '../e2e/harness/ralph.ts';
import type { Result } from '../e2e/harness/ralph.ts';
import type { Scratch } from '../e2e/harness/scratch.ts';
import { scratch } from '../e2e/harness/scratch.ts';

const RUN = ['run', '--parallel', '--json'];
const TOML = `agent = "shell"
[agents.shell]
command = ["sh", "-c", "cat > /dev/null; echo made > $RALPH_TASK_ID.txt; echo '<promise>COMPLETE</promise>'"]
[parallel]
merge_policy = "auto_merge"
[gates]
commands = ["test -e README.md"]
`;

interface Place {
  readonly one: Scratch;
  readonly dir: string;
  readonly git: Git;
}

/** A repository of any kind beside the usual one, with a plan committed. */
function place(name: string, init: readonly string[], branch = 'main'): Place {
  const one = scratch();
  const dir = beside(one, name);
  mkdirSync(dir);
  const git = gitIn(dir, one.env);
  git('init', '-q', '-b', branch, ...init);
  writeFileSync(join(one.home, '.gitconfig'), '[user]\n\tname = Una\n\temail = una@example.com\n');
  for (const [path, text] of Object.entries({
    'README.md': 'hello\n',
    'PRD.md': markdownTasks(['a', 'b']),
    'ralph.toml': TOML,
  }))
    writeFileSync(join(dir, path), text);
  git('add', '-A');
  git('commit', '-q', '-m', 'Plan the work');
  return { one, dir, git };
}

const run = ({ one, dir }: Pick<Place, 'one' | 'dir'>): Promise<Result> =>
  ralph(one, RUN, { cwd: dir, isCheckoutGuarded: false });

/** Both tasks landed and are in the checkout, which is as clean as before. */
async function works(at: Place, target = 'main'): Promise<void> {
  const { code, stdout, stderr } = await run(at);
  expect(code, stderr).toBe(0);
  expect(summaryOf(stdout).landed).toEqual(['a', 'b']);
  expect(at.git('show', `${target}:b.txt`)).toBe('made');
  expect(at.git('status', '--porcelain')).toBe('');
  expect(at.git('fsck', '--no-dangling')).toBe('');
}

/** One line that says what is wrong, and not a thing made. */
async function refused(at: Pick<Place, 'one' | 'dir'>, says: RegExp): Promise<void> {
  const { code, stderr } = await run(at);
  const { error } = JSON.parse(stderr) as { error: { message: string; remedy: string | null } };
  expect([code, error.message]).toEqual([4, expect.stringMatching(says)]);
  expect(error.message).not.toContain('\n');
  expect(error.remedy).toMatch(/^git /);
  expect(gitIn(at.dir, at.one.env)('for-each-ref', 'refs/paralph', 'refs/heads/ralph')).toBe('');
}

it('case 27: sha256 ids, line ends of another system, and an odd path', async () => {
  const at = place('größe $(of) it', ['--object-format=sha256']);
  at.git('config', 'core.autocrlf', 'true');
  await works(at);
});

it('case 27: a sparse checkout stays sparse, a submodule stays where it is', async () => {
  const at = place('sparse', []);
  const inner = place('inner', []);
  at.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.dir, 'sub');
  for (const folder of ['shown', 'hidden']) {
    mkdirSync(join(at.dir, folder));
    writeFileSync(join(at.dir, folder, 'x.txt'), 'x\n');
  }
  at.git('add', '-A');
  at.git('commit', '-q', '-m', 'More');
  at.git('sparse-checkout', 'set', 'shown');
  const sub = at.git('rev-parse', 'HEAD:sub');
  await works(at);
  expect(at.git('rev-parse', 'main:sub')).toBe(sub);
  expect(at.git('ls-files', '-t', 'hidden')).toBe('S hidden/x.txt');
});

it('case 27: files behind a filter that is not there are refused or left alone, never spoilt', async () => {
  const at = place('filtered', []);
  writeFileSync(join(at.dir, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  writeFileSync(join(at.dir, 'big.bin'), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
  at.git('add', '-A');
  at.git('commit', '-q', '-m', 'A pointer');
  const blob = at.git('rev-parse', 'HEAD:big.bin');
  await works(at);
  expect(at.git('rev-parse', 'main:big.bin')).toBe(blob);
  // As `git lfs install` leaves it for a user, on a machine without git-lfs.
  writeFileSync(
    join(at.one.home, '.gitconfig'),
    '[user]\n\tname = Una\n\temail = una@example.com\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n',
  );
  writeFileSync(join(at.dir, 'PRD.md'), markdownTasks(['c']));
  at.git('commit', '-q', '-m', 'One more', 'PRD.md');
  const { stdout, stderr } = await run(at);
  const { landed, parked } = summaryOf(stdout);
  expect([...landed, ...parked.map(({ task }) => task)], stderr).toEqual(['c']);
  // Where no worktree that stood before is free, git refuses to make one, and that is said.
  if (landed.length === 0) expect(stderr).toMatch(/c parked \(broken\): .*git-lfs/);
  expect(at.git('rev-parse', 'refs/paralph/int/main:big.bin')).toBe(blob);
  expect(readFileSync(join(at.dir, 'big.bin'), 'utf8')).toMatch(/^version .*\noid sha256:00\n/);
});

it('case 28: a shallow clone on a branch named master, with a detached HEAD', async () => {
  const from = place('from', [], 'master');
  from.git('commit', '-q', '--allow-empty', '-m', 'Another');
  const { one } = from;
  gitIn(one.root, one.env)('clone', '-q', '--depth=1', `file://${from.dir}`, 'shallow');
  const dir = beside(one, 'shallow');
  const git = gitIn(dir, one.env);
  git('checkout', '-q', '--detach');
  await works({ one, dir, git }, 'master');
  expect(git('rev-list', '--count', 'HEAD')).toBe('1');
});

it('case 28: a bare repository, a partial clone, another kind of refs: refused in one line', async () => {
  const from = place('from', []);
  const { one } = from;
  const git = gitIn(one.root, one.env);
  git('clone', '-q', '--bare', from.dir, 'bare.git');
  await refused({ one, dir: beside(one, 'bare.git') }, /bare/);
  from.git('config', 'uploadpack.allowFilter', 'true');
  from.git('branch', 'other');
  writeFileSync(join(from.dir, 'later.txt'), 'never fetched\n');
  from.git('add', '-A');
  from.git('commit', '-q', '-m', 'Later');
  git('clone', '-q', '--branch=other', '--filter=blob:none', `file://${from.dir}`, 'partial');
  gitIn(beside(one, 'partial'), one.env)('branch', 'main', 'origin/main');
  await refused({ one, dir: beside(one, 'partial') }, /partial clone/);
  // A git of today cannot make one, nor read it.
  appendFileSync(join(from.dir, '.git/config'), '[extensions]\n\trefStorage = reftable\n');
  const { code, stderr } = await run(from);
  expect([code, stderr]).toEqual([4, expect.stringContaining('git refs migrate --ref-format=files')]);
});

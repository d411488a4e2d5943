// What a run comes to in situations in which runners of this kind were seen to fail: eight tasks of two seconds, four at once.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ms, printTable } from './lib/figures.mjs';
import { runRalph, startRalph } from './lib/ralph.mjs';
import { git, makeRepository, taskId } from './lib/repository.mjs';

const NAPS = Array(8).fill(2);
const WORKERS = 4;
const SLOW = 1;

/** `{do}` is what the agent does after its nap; every start is one line beside the repository. */
const config = (act, limits = '') => `agent = "bench"

[agents.bench]
command = ["sh", "-c", "cat >/dev/null; echo $RALPH_TASK_ID >> {top}/starts; ${act}; echo '<promise>COMPLETE</promise>'"]

[gates]
commands = ["sh check.sh"]

[parallel]
merge_policy = "auto_merge"
${limits}`;

const NAP = 'sleep 2; echo made > $RALPH_TASK_ID.txt';
const CHECK = { 'check.sh': "! grep -rqE '^(<<<<<<<|>>>>>>>)' . --exclude=check.sh --exclude-dir=.git\n" };

const SITUATIONS = [
  { name: 'agents commit their work', act: `${NAP}; git add -A; git commit -qm done` },
  { name: 'agents do not commit', act: NAP },
  { name: 'all append to one file', act: 'sleep 2; echo $RALPH_TASK_ID >> shared.txt', shared: true },
  {
    name: 'one agent hangs',
    act: `case $RALPH_TASK_ID in ${taskId(SLOW, 2)}) sleep 600;; esac; ${NAP}`,
    limits: '\n[limits]\nruntime = "20s"\niterations = 1\n',
  },
  { name: 'all agents exit 3', act: 'exit 3' },
  { name: 'kill -9 of the run, then the same command', act: NAP, isKilled: true },
];

function landed(repository, isShared) {
  if (!isShared)
    return git(repository, 'ls-tree', '--name-only', 'main')
      .split('\n')
      .filter((name) => /^t\d+-2s\.txt$/.test(name)).length;
  const lines = git(repository, 'show', 'main:shared.txt').trim().split('\n');
  return lines.length === new Set(lines).size ? lines.length : `${lines.length}, some twice`;
}

const startsIn = (repository) => {
  const book = join(repository, '..', 'starts');
  return existsSync(book) ? execFileSync('wc', ['-l', book], { encoding: 'utf8' }).trim().split(' ')[0] : '0';
};

async function run(repository, isKilled) {
  const args = ['run', '--events', '--parallel', '--max-workers', String(WORKERS)];
  if (!isKilled) return startRalph(repository, args).done;
  let count = 0;
  const first = startRalph(repository, args, ({ type }) => {
    if (type === 'iteration-ended' && ++count === 3) first.child.kill('SIGKILL');
  });
  await first.done;
  return startRalph(repository, args).done;
}

const rows = [];
for (const { name, act, limits, shared = false, isKilled = false } of SITUATIONS) {
  const repository = makeRepository({ naps: NAPS, files: { ...CHECK }, config: config(act, limits) });
  const { code, wallMs } = await run(repository, isKilled);
  await runRalph(repository, ['prune']).catch(() => {});
  rows.push([
    name,
    `${landed(repository, shared)} of ${NAPS.length}`,
    code,
    startsIn(repository),
    git(repository, 'status', '--porcelain').trim() === '' ? 'clean' : 'changed',
    git(repository, 'stash', 'list').trim() === '' ? 'none' : 'some',
    git(repository, 'branch', '--list', 'ralph/*').trim().split('\n').filter(Boolean).length,
    ms(wallMs),
  ]);
}
printTable(
  'outcomes',
  ['situation', 'landed', 'exit', 'agent calls', 'checkout', 'stashes', 'branches left', 'took'],
  rows,
);

// This build and another one by turns, in one run: `npm run bench -- turns --against COMMIT [--turns 5] [--only makespan]`.
// A busy moment hits both alike; a ratio below 1 means that this build is faster.
import { execFileSync } from 'node:child_process';
import { median, ms, printTable } from './lib/figures.mjs';
import { buildOf } from './lib/other-build.mjs';
import { MAIN, cleanEnv } from './lib/ralph.mjs';
import { assertLanded, git, makeRepository, taskFile } from './lib/repository.mjs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TURNS = 5;
const SHORT_TURNS = 15;
const SLOTS = 4;
const BRANCHES = 20;
const LOOPS = 16;
const FILES = 1000;

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
}

/** Wall and CPU time of `ralph …`; it must end with 0. */
function time(main, cwd, args) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1';
  const said = execFileSync('bash', ['-c', script, 'bash', process.execPath, main, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...cleanEnv(), LC_ALL: 'C' },
  });
  const [wall, user, system] = said.split(/\s+/).map((seconds) => Number(seconds) * 1000);
  return { wall, cpu: user + system };
}

const parallel = (slots, ...more) => ['run', '--parallel', '--max-workers', String(slots), ...more];

function timeNaps(naps) {
  return (main) => {
    const repository = makeRepository({ naps });
    const took = time(main, repository, parallel(SLOTS));
    assertLanded(repository, naps);
    return took;
  };
}

/** A second run in one repository: its worktrees are made anew or reused, as the build has it. */
function timeWorktrees(main) {
  const naps = Array(LOOPS).fill(0);
  const text = 'a line of text\n'.repeat(40);
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`files/${n % 20}/${n}.txt`, text]));
  const repository = makeRepository({ naps, files });
  const first = time(main, repository, parallel(LOOPS));
  writeFileSync(join(repository, 'second.md'), taskFile(naps, LOOPS + 1));
  git(repository, 'add', 'second.md');
  git(repository, 'commit', '--quiet', '-m', 'more tasks');
  const second = time(main, repository, parallel(LOOPS, '--tasks', 'second.md'));
  assertLanded(repository, naps, LOOPS + 1);
  return { wall: first.wall + second.wall, cpu: first.cpu + second.cpu };
}

function timeLanding(main) {
  const naps = Array(BRANCHES).fill(0);
  const repository = makeRepository({ naps });
  time(main, repository, parallel(SLOTS, '--no-auto-merge'));
  const took = time(main, repository, ['land', '--all']);
  assertLanded(repository, naps);
  return took;
}

const against = option('against', null);
if (against == null) {
  console.error('usage: npm run bench -- turns --against COMMIT [--turns N] [--only GROUP]');
  process.exit(2);
}
const builds = [buildOf(against), MAIN];
const only = option('only', null);
const turns = Number(option('turns', TURNS));

/** The other build writes the log of this one: a newer build reads what an older one wrote, not the reverse. */
const filled = makeRepository({ naps: Array(SHORT_TURNS).fill(0) });
time(builds[0], filled, parallel(SLOTS));

const CASES = [
  { group: 'makespan', name: '8 tasks of 2 s, 4 slots', measure: timeNaps(Array(8).fill(2)) },
  { group: 'makespan', name: '2 of 10 s, 10 of 1 s, 4 slots', measure: timeNaps([10, 10, ...Array(10).fill(1)]) },
  { group: 'worktrees', name: `${LOOPS} loops at once, twice, ${FILES} files`, measure: timeWorktrees },
  { group: 'landing', name: `land --all, ${BRANCHES} branches`, measure: timeLanding },
  { group: 'startup', name: 'ralph --version', short: true, measure: (main) => time(main, filled, ['--version']) },
  {
    group: 'startup',
    name: 'ralph status --json',
    short: true,
    measure: (main) => time(main, filled, ['status', '--json']),
  },
];

const rows = [];
for (const { group, name, measure, short } of CASES) {
  if (only != null && only !== group) continue;
  const taken = builds.map(() => []);
  for (let turn = 0; turn < (short ? SHORT_TURNS : turns); turn += 1)
    // Who begins changes with each turn: what the first one warms up is not the second one's merit.
    for (const index of turn % 2 === 0 ? [0, 1] : [1, 0]) taken[index].push(measure(builds[index]));
  for (const kind of ['wall', 'cpu']) {
    const [before, now] = taken.map((list) => median(list.map((each) => each[kind])));
    rows.push([group, name, kind, ms(before), ms(now), (now / before).toFixed(3)]);
  }
}
printTable(`turns: this build against ${against}, medians`, ['bench', 'case', '', 'then', 'now', 'ratio'], rows);

// How long loops wait for their worktrees when many start at once, new and reused, beside one `git worktree add`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge, median, ms, printTable } from './lib/figures.mjs';
import { runRalph } from './lib/ralph.mjs';
import { assertLanded, git, makeRepository, taskFile } from './lib/repository.mjs';

const LOOPS = 32;
const FILES = 1000;
const BOUND_MS = 2000;

/** For each loop the time from its claim to its worktree. */
function waits(events) {
  const claimedAt = new Map(
    events.filter((event) => event.type === 'task-claimed').map((event) => [event.loop, event.at]),
  );
  return events
    .filter((event) => event.type === 'worktree-made' && claimedAt.has(event.loop))
    .map((event) => ({
      claimedAt: claimedAt.get(event.loop),
      madeAt: event.at,
      waitMs: event.at - claimedAt.get(event.loop),
      reused: event.reused === true,
    }));
}

function addOne(repository) {
  const path = join(repository, '..', 'baseline');
  const startedMs = performance.now();
  git(repository, 'worktree', 'add', '--quiet', '--detach', path);
  const tookMs = performance.now() - startedMs;
  git(repository, 'worktree', 'remove', path);
  return tookMs;
}

async function run(repository, name, args, baselineMs) {
  const { events, messages } = await runRalph(repository, [
    'run',
    '--parallel',
    '--max-workers',
    String(LOOPS),
    '--events',
    ...args,
  ]);
  const made = waits(events);
  const all = made.map(({ waitMs }) => waitMs);
  const retries = [...messages.matchAll(/retr(?:y|ies|ied)/gi)].length;
  const longest = Math.max(...all);
  const spanMs = Math.max(...made.map(({ madeAt }) => madeAt)) - Math.min(...made.map((each) => each.claimedAt));
  const verdict = made.length === LOOPS && retries === 0 ? judge(longest, BOUND_MS) : 'over';
  const reused = made.filter((each) => each.reused).length;
  return [
    name,
    `${made.length} of ${LOOPS}`,
    reused,
    ms(spanMs / made.length),
    ms(median(all)),
    ms(longest),
    (median(all) / baselineMs).toFixed(1),
    ms(BOUND_MS),
    verdict,
  ];
}

const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, index) => [
    `files/${index % 20}/file-${index}.txt`,
    `line of file ${index}\n`.repeat(40),
  ]),
);
const repository = makeRepository({ naps: Array(LOOPS).fill(0), files });
const baselineMs = addOne(repository);
const naps = Array(LOOPS).fill(0);
const first = await run(repository, 'first run', [], baselineMs);
assertLanded(repository, naps);
writeFileSync(join(repository, 'second.md'), taskFile(naps, LOOPS + 1));
git(repository, 'add', 'second.md');
git(repository, 'commit', '--quiet', '-m', 'more tasks');
const second = await run(repository, 'second run', ['--tasks', 'second.md'], baselineMs);
assertLanded(repository, naps, LOOPS + 1);
printTable(
  `worktrees: ${LOOPS} at once, ${FILES} files`,
  ['', 'made', 'reused', 'span / made', 'median wait', 'longest wait', '× baseline', 'at most', ''],
  [
    ['one `git worktree add` (baseline)', '1', '', ms(baselineMs), ms(baselineMs), ms(baselineMs), '1.0', '', ''],
    first,
    second,
  ],
);

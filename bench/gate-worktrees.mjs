// What a gate run waits for before its gate starts: a worktree that holds exactly the tree, by the size of the repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, ms, printTable } from './lib/figures.mjs';
import { loadSources } from './lib/load-sources.mjs';
import { git, makeScratch } from './lib/repository.mjs';

const SIZES = [1000, 20_000, 100_000];
const CLEARED = 20_000;
const TURNS = 3;
const FILES_IN_FOLDER = 40;

const { openGateWorktrees, findRepository, settle } = await loadSources(
  join(import.meta.dirname, 'gate-worktrees', 'world-entry.mjs'),
);
const settings = settle([]).settings.worktree;
const provisions = { settings, files: [], env: process.env, passEnv: [], key: '', tell: () => {} };

const pathOf = (file) =>
  `files/${Math.floor(file / FILES_IN_FOLDER / 100)}/${Math.floor(file / FILES_IN_FOLDER)}/${file}.txt`;
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const put = (path, text) => `M 100644 inline ${path}\n${data(text)}`;
const commit = (message) => `commit refs/heads/main\ncommitter B <b@example.com> 1700000000 +0000\n${data(message)}`;

/** Two commits: so many files, then ten of them changed. */
function makeBig(files) {
  const top = makeScratch();
  const repository = join(top, 'repo');
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  const parts = [commit('first'), put('.gitignore', 'out/\n')];
  for (let file = 0; file < files; file += 1) parts.push(put(pathOf(file), `file ${file}\n`.repeat(12)));
  parts.push(commit('second'));
  for (let nth = 0; nth < 10; nth += 1) parts.push(put(pathOf(nth * Math.floor(files / 10)), `changed ${nth}\n`));
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository, input: parts.join('') });
  return {
    repository,
    worktreeRoot: join(top, 'wt'),
    first: commitAt(repository, 'main~1'),
    second: commitAt(repository, 'main'),
  };
}

const commitAt = (repository, name) => git(repository, 'rev-parse', name).trim();

async function time(act) {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}

/** What a gate before could have left ignored. */
function litter(path) {
  for (let folder = 0; folder < CLEARED / 100; folder += 1) {
    const inside = join(path, 'out', String(folder));
    mkdirSync(inside, { recursive: true });
    for (let file = 0; file < 100; file += 1) writeFileSync(join(inside, `${file}.o`), 'made\n');
  }
}

async function measure(files) {
  const { repository, worktreeRoot, first, second } = makeBig(files);
  const gates = openGateWorktrees(findRepository(repository), worktreeRoot, provisions);
  const stand = (at, act = async () => {}) => time(() => gates.withWorktree(at, act));
  const plainMs = await time(async () =>
    git(repository, 'worktree', 'add', '-q', '--detach', join(worktreeRoot, 'plain'), first),
  );
  const newMs = await stand(first);
  const [same, other, cleared] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    same.push(await stand(first));
    other.push(await stand(second));
    await stand(first, async (path) => litter(path));
    cleared.push(await stand(first));
  }
  const clearMs = Math.max(0, median(cleared) - median(same));
  return [files, ms(plainMs), ms(newMs), ms(median(same)), ms(median(other)), ms(clearMs)];
}

const rows = [];
for (const files of SIZES) rows.push(await measure(files));
printTable(
  'gate worktrees: until a gate can start, in a worktree that holds exactly the tree',
  ['files', '`git worktree add`', 'new', 'again', '10 files changed', `clearing ${CLEARED} ignored files`],
  rows,
);

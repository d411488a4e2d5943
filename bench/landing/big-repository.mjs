import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from '../lib/repository.mjs';
import { makeReady, readyBranches } from './ready-loops.mjs';

const EDITED = 10;
const LINES = 12;
const FILES_IN_FOLDER = 40;

const pathOf = (file) =>
  `files/${Math.floor(file / FILES_IN_FOLDER / 100)}/${Math.floor(file / FILES_IN_FOLDER)}/file-${file}.txt`;
const textOf = (file, last) =>
  `${Array.from({ length: LINES }, (_, line) => `line ${line} of file ${file}`).join('\n')}\n${last}`;
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const put = (path, text) => `M 100644 inline ${path}\n${data(text)}`;

const commit = (ref, message, from) =>
  `commit ${ref}\ncommitter Bench <bench@example.com> 1700000000 +0000\n${data(message)}from ${from}\n`;

function* mainWith(files, head) {
  yield commit('refs/heads/main', `${files} files`, head);
  for (let file = 0; file < files; file += 1) yield put(pathOf(file), textOf(file, ''));
}

/** Main merged into the branch of a loop, ten of main's files changed; the loop's own work is the one new file. */
function* branchWith(branch, own, number, files) {
  yield commit(`refs/heads/${branch}`, `merge main into ${branch}`, 'refs/heads/main');
  yield `merge ${own.head}\n`;
  yield put(own.path, own.text);
  const every = Math.floor(files / EDITED);
  for (let nth = 0; nth < EDITED; nth += 1) {
    const file = nth * every + number;
    yield put(pathOf(file), textOf(file, `changed by ${branch}\n`));
  }
}

function fastImport(repository, parts) {
  const path = join(dirname(repository), 'import');
  const out = openSync(path, 'w');
  for (const part of parts) writeSync(out, part);
  closeSync(out);
  const input = openSync(path, 'r');
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: repository, stdio: [input, 'ignore', 'inherit'] });
  closeSync(input);
}

function ownWork(repository, branch) {
  const head = git(repository, 'rev-parse', branch).trim();
  const path = git(repository, 'diff', '--name-only', `main...${branch}`).trim();
  return { head, path, text: git(repository, 'show', `${branch}:${path}`) };
}

/** Worktrees of loops would take a minute each at 100,000 files; landing does not need them. */
function removeWorktrees(repository) {
  const [, ...ours] = git(repository, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length));
  for (const path of ours) git(repository, 'worktree', 'remove', '-f', '-f', path);
}

/**
 * Loops are run for real while the repository is small; then somebody adds `files` files to main, and merges that into every
 * branch. The log, the loops and their gates are as they are in use; only their worktrees are gone.
 */
export async function makeBigRepository({ files, branches }) {
  // One slot: a second one would bring a second gate worktree into being while the clock runs.
  const landing = 'publish = "manual"\ngate_slots = 1';
  const { repository } = await makeReady({ count: branches, gate: 'true', landing });
  const ready = readyBranches(repository);
  const own = ready.map((branch) => ownWork(repository, branch));
  removeWorktrees(repository);
  const head = git(repository, 'rev-parse', 'main').trim();
  fastImport(repository, mainWith(files, head));
  fastImport(
    repository,
    ready.flatMap((branch, index) => [...branchWith(branch, own[index], index, files)]),
  );
  git(repository, 'reset', '--quiet', '--hard', 'main');
  return { repository, branches: ready };
}

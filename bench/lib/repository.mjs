import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An agent that reads its prompt, sleeps as long as its task's id says (`t01-2s`), writes one file and says it is done. */
const AGENT = `#!/bin/sh
cat >/dev/null
nap=\${RALPH_TASK_ID##*-}
sleep "\${nap%s}"
echo "made for $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"
echo '<promise>COMPLETE</promise>'
`;

const CONFIG = `agent = "bench"

[agents.bench]
command = ["sh", "{agent}"]

[gates]
commands = ["true"]

[parallel]
merge_policy = "auto_merge"
`;

export const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' });

export const taskId = (number, seconds) => `t${String(number).padStart(3, '0')}-${seconds}s`;

/** A task file with one task for each of the given naps. */
export const taskFile = (naps, firstNumber = 1) =>
  `## Tasks\n\n${naps.map((seconds, index) => `- [ ] Task ${firstNumber + index} <!-- id: ${taskId(firstNumber + index, seconds)} -->`).join('\n')}\n`;

const scratches = [];
process.on('exit', () => {
  for (const top of scratches) rmSync(top, { recursive: true, force: true, maxRetries: 5 });
});

/** A folder that is gone again when the program ends. */
export function makeScratch() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'paralph-bench-')));
  scratches.push(top);
  return top;
}

/** Writes files below a folder, by path. */
export function writeFiles(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Makes a repository with one commit, ready for `ralph run`; gone again when the program ends. In `config` `{agent}` is the
 * agent's script and `{top}` the folder around the repository.
 */
export function makeRepository({ naps, files = {}, config = CONFIG }) {
  const top = makeScratch();
  const agent = join(top, 'agent.sh');
  writeFileSync(agent, AGENT);
  const repository = join(top, 'repository');
  writeFiles(repository, {
    'PRD.md': taskFile(naps),
    'ralph.toml': config.replaceAll('{agent}', agent).replaceAll('{top}', top),
    'README.md': 'bench\n',
    ...files,
  });
  git(repository, 'init', '--quiet', '--initial-branch=main');
  git(repository, 'config', 'user.name', 'Bench');
  git(repository, 'config', 'user.email', 'bench@example.com');
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '-m', 'start');
  return repository;
}

/** A figure about work that was not done is worth nothing: throws unless every task's file is on main. */
export function assertLanded(repository, naps, firstNumber = 1) {
  const onMain = new Set(git(repository, 'ls-tree', '--name-only', 'main').split('\n'));
  const missing = naps
    .map((seconds, index) => taskId(firstNumber + index, seconds))
    .filter((id) => !onMain.has(`${id}.txt`));
  if (missing.length > 0) throw new Error(`not on main: ${missing.join(', ')}`);
}

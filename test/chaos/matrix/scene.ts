import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Git } from '../../e2e/harness/git.ts';
import { gitIn } from '../../e2e/harness/git.ts';
import { killAll } from '../../e2e/harness/processes.ts';
import { KEEP_BOTH } from '../../e2e/harness/storm.ts';

/** One cell's repository: three tasks, a gate, and things of a user's that nobody may touch. */
export interface Scene {
  readonly root: string;
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: Git;
  /** What agents committed, from a hook of the user's. */
  readonly commits: () => readonly string[];
  readonly remove: () => void;
}

/** One ends clean, one conflicts with it, one leaves files uncommitted and a process behind. */
export const TASKS = ['clean', 'clash', 'rest'] as const;
/** What the gate asks of every tree. */
export const TRUTH = "test ! -e BROKEN && ! grep -q '^<<<<<<<' list.txt";

/** Waits for the other that touches the same line, so that both begin on the same main; but not for ever. */
const MEET = `: > "$BOOKS/$RALPH_TASK_ID"
for wait in $(seq 20); do test -e "$BOOKS/clean" && test -e "$BOOKS/clash" && break; sleep 0.1; done`;

const agent = (books: string): string => `set -e
BOOKS='${books}'
cat > /dev/null
mine() { grep -q "^$RALPH_TASK_ID$" list.txt || echo "$RALPH_TASK_ID" >> list.txt; }
case $RALPH_TASK_ID in
clean | clash)
  ${MEET.replaceAll('\n', '\n  ')}
  if grep -q '^<<<<<<<' list.txt; then ${KEEP_BOTH}; fi
  mine
  echo made > "$RALPH_TASK_ID.txt"
  git add -A
  git commit -q -m "$RALPH_TASK_ID" || true
  ;;
rest)
  echo made > rest.txt
  git add -A
  git commit -q -m rest || true
  echo more > rest-more.txt
  setsid sh "$BOOKS/stray.sh" > /dev/null 2>&1 < /dev/null &
  ;;
in-place-*)
  echo made > in-place.txt
  git add -A
  git commit -q -m 'all there is' || true
  echo more >> in-place.txt
  ;;
*)
  echo made > "$RALPH_TASK_ID.txt"
  ;;
esac
echo '<promise>COMPLETE</promise>'
`;

const config = (root: string): string => `agent = "shell"

[gates]
commands = [${JSON.stringify(TRUTH)}]

[parallel]
merge_policy = "auto_merge"

[limits]
iterations = 8
runtime = "60s"
grace = "1s"

[agents.shell]
command = ["sh", ${JSON.stringify(join(root, 'agent.sh'))}]
`;

export interface SceneOptions {
  readonly tasks: readonly string[];
  /** The process that is left behind does not end when asked. */
  readonly stubborn: boolean;
  /** The user stands on a branch of their own, so that nobody stands on main. */
  readonly away: boolean;
  /** The user has something staged too, which a loop in place finds there. */
  readonly staged: boolean;
}

export function makeScene({ tasks, stubborn, away, staged }: SceneOptions): Scene {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-matrix-'));
  const [repo, home, tmp, books] = ['repo', 'home', 'tmp', 'books'].map((name) => join(root, name)) as [
    ...[string, string, string, string],
  ];
  for (const folder of [repo, home, tmp, books]) mkdirSync(folder);
  writeFileSync(join(root, 'agent.sh'), agent(books));
  writeFileSync(join(books, 'stray.sh'), `${stubborn ? "trap '' TERM; " : ''}while :; do sleep 1; done\n`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
  const git = gitIn(repo, env);
  const scene: Scene = {
    root,
    repo,
    env,
    git,
    commits: () => {
      const text = existsSync(join(books, 'commits')) ? readFileSync(join(books, 'commits'), 'utf8') : '';
      return text.split('\n').filter((line) => line !== '');
    },
    remove: () => {
      killAll(root);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  fillRepository(scene, books, tasks);
  addUsersThings(scene, away);
  if (staged) stageThings(scene);
  return scene;
}

function fillRepository({ root, repo, git }: Scene, books: string, tasks: readonly string[]): void {
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Una User');
  git('config', 'user.email', 'una@example.com');
  planTasks(repo, tasks);
  writeFileSync(join(repo, 'ralph.toml'), config(root));
  writeFileSync(join(repo, 'list.txt'), 'the list\n');
  writeFileSync(join(repo, 'notes.txt'), 'notes\n');
  writeFileSync(join(repo, '.gitignore'), '*.ignored\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'Plan the work');
  const hook = join(repo, '.git/hooks/post-commit');
  mkdirSync(join(repo, '.git/hooks'), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntest -z "$RALPH_LOOP_ID" || git rev-parse HEAD >>'${join(books, 'commits')}'\n`);
  chmodSync(hook, 0o755);
}

export function planTasks(repo: string, tasks: readonly string[]): void {
  const lines = tasks.map((id) => `- [ ] Make ${id} <!-- id: ${id} -->\n`);
  writeFileSync(join(repo, 'PRD.md'), `# Plan\n\n## Tasks\n\n${lines.join('')}`);
}

/** A stash, a worktree and a branch of their own, a changed file, a new one and an ignored one. */
function addUsersThings({ repo, root, git }: Scene, away: boolean): void {
  writeFileSync(join(repo, 'notes.txt'), 'stashed\n');
  git('stash', 'push', '-q');
  git('worktree', 'add', '-q', '-b', 'own', join(root, 'own'));
  writeFileSync(join(root, 'own', 'half.txt'), 'half done\n');
  if (away) git('checkout', '-q', '-b', 'elsewhere');
  writeFileSync(join(repo, 'notes.txt'), 'changed and not committed\n');
  writeFileSync(join(repo, 'mine.txt'), 'new\n');
  writeFileSync(join(repo, 'secret.ignored'), 'ignored\n');
}

/** One that is new and one that was changed again since. */
function stageThings({ repo, git }: Scene): void {
  writeFileSync(join(repo, 'staged.txt'), 'staged\n');
  writeFileSync(join(repo, '.gitignore'), '*.ignored\n*.staged\n');
  git('add', 'staged.txt', '.gitignore');
  writeFileSync(join(repo, '.gitignore'), '*.ignored\n*.changed\n');
}

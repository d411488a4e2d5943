import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../core/model/shell-word.ts';
import { runGit } from '../git/run/run-git.ts';
import { pause } from '../os/clock.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { writeFiles } from './first-look.ts';

/** What can be so when an orchestrator dies, as the older setup lists it, and what has to be so afterwards. */
interface Situation {
  readonly name: string;
  readonly tasks: readonly string[];
  /** Leaves things as a crash would; nothing of ours lives afterwards but what it says. */
  readonly crash: (stage: Stage) => Promise<void>;
  /** What is wrong after a new start has come to its end; null: nothing. */
  readonly wrong?: (stage: Stage) => Promise<string | null>;
}

interface Stage {
  readonly folder: string;
  readonly repo: string;
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface Played {
  readonly n: number;
  readonly name: string;
  /** Null: it recovered. */
  readonly wrong: string | null;
}

const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

const SITUATIONS: readonly Situation[] = [
  {
    name: 'spawned: orchestrator and agent killed, the worktree gone',
    tasks: ['spawned'],
    crash: async (stage) => {
      await killAt(stage, ['spawned']);
      rmSync(join(stage.folder, 'worktrees/spawned'), { recursive: true, force: true });
    },
  },
  {
    name: 'working: both killed over a file that is staged and not committed',
    tasks: ['staged'],
    crash: (stage) => killAt(stage, ['staged']),
    wrong: (stage) => wrongText(stage, 'staged.txt', 'half\n'),
  },
  {
    name: 'committed: both killed after the commit',
    tasks: ['committed'],
    crash: (stage) => killAt(stage, ['committed']),
    wrong: (stage) => wrongText(stage, 'committed.txt', 'half\n'),
  },
  {
    name: 'waiting to land: the orchestrator killed while two branches are tested together',
    tasks: ['first', 'second'],
    crash: async (stage) => {
      const host = start(stage);
      await seen(stage, 'gate.at');
      await kill(host);
    },
  },
  {
    name: 'an agent/ worktree that belongs to no task: left as it is',
    tasks: ['usual'],
    crash: async ({ folder, repo }) => {
      const path = join(folder, 'worktrees/orphan');
      await runGit(['worktree', 'add', '-q', '-b', 'agent/orphan', path], { cwd: repo });
      writeFileSync(join(path, 'mine.txt'), 'work of a person\n');
    },
    wrong: async ({ folder }) =>
      textIfThere(join(folder, 'worktrees/orphan/mine.txt')) === 'work of a person\n' ? null : 'its file is gone',
  },
  {
    name: 'three tasks in three phases at once',
    tasks: ['spawned', 'staged', 'committed'],
    crash: async (stage) => {
      await killAt(stage, ['spawned', 'staged', 'committed']);
      rmSync(join(stage.folder, 'worktrees/spawned'), { recursive: true, force: true });
    },
  },
  {
    name: 'one agent lives and one is dead: the living one continues, the dead one is started again',
    tasks: ['living', 'dead'],
    crash: async (stage) => {
      const host = start(stage);
      for (const task of ['living', 'dead']) await seen(stage, `${task}.at`);
      await kill(host);
      killAgent(stage, 'dead');
    },
    wrong: async (stage) => {
      const counts = ['living', 'dead'].map((task) => textIfThere(join(stage.folder, `${task}.starts`)).length);
      return counts.join() === '1,2' ? null : `they were started ${counts.join(' and ')} times`;
    },
  },
];

/** Plays each situation in a repository of its own below the folder: real processes, killed; then a new start, and a look at main. */
export async function playCrashes(
  folder: string,
  { program, env }: Pick<Stage, 'program' | 'env'>,
  onPlayed: (played: Played) => void,
): Promise<boolean> {
  let isWell = true;
  for (const [at, situation] of SITUATIONS.entries()) {
    const own = join(folder, String(at + 1));
    const stage: Stage = { folder: own, repo: join(own, 'repo'), program, env };
    const wrong = await play(stage, situation).catch((error: unknown) => String(error));
    isWell &&= wrong === null;
    onPlayed({ n: at + 1, name: situation.name, wrong });
  }
  return isWell;
}

async function play(stage: Stage, { tasks, crash, wrong }: Situation): Promise<string | null> {
  await makeRepository(stage, tasks);
  await crash(stage);
  for (const task of tasks) writeFileSync(join(stage.folder, `${task}.go`), '');
  writeFileSync(join(stage.folder, 'gate.go'), '');
  const [code] = (await once(start(stage), 'exit')) as [number | null];
  const said = textIfThere(join(stage.folder, 'said.txt')).trimEnd().split('\n').slice(-1).join('');
  if (code !== 0) return `ralph orchestrate exited with ${String(code)}: ${said}`;
  const { stdout } = await runGit(['log', '--first-parent', '--format=%s', 'main'], { cwd: stage.repo });
  const odd = tasks.find((task) => stdout.split('\n').filter((line) => line.includes(`Make ${task}`)).length !== 1);
  if (odd !== undefined) return `${odd} did not land exactly once`;
  return (await wrong?.(stage)) ?? null;
}

/** The agents are at their places; then the orchestrator and they are killed. */
async function killAt(stage: Stage, tasks: readonly string[]): Promise<void> {
  const host = start(stage);
  for (const task of tasks) await seen(stage, `${task}.at`);
  await kill(host);
  for (const task of tasks) killAgent(stage, task);
}

function start({ program, env, repo, folder }: Stage): ChildProcess {
  const [node = '', ...words] = program;
  const child = spawn(node, [...words, 'orchestrate'], { cwd: repo, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    writeFileSync(join(folder, 'said.txt'), said);
  });
  return child;
}

async function kill(host: ChildProcess): Promise<void> {
  const ended = once(host, 'exit');
  host.kill('SIGKILL');
  await ended;
}

/** By the number that it wrote down itself: a child of a process of ours, which nobody has collected yet. */
const killAgent = ({ folder }: Stage, task: string): void =>
  void process.kill(Number(readFileSync(join(folder, `${task}.pid`), 'utf8')), 'SIGKILL');

async function seen({ folder }: Stage, name: string): Promise<void> {
  for (const until = performance.now() + WAIT_MS; !existsSync(join(folder, name)); await pause(LOOK_EVERY_MS))
    if (performance.now() > until) throw new Error(`nothing came to ${name} within ${WAIT_MS / 1000} s`);
}

async function wrongText({ repo }: Stage, path: string, text: string): Promise<string | null> {
  const { stdout } = await runGit(['show', `main:${path}`], { cwd: repo, ok: [0, 128] });
  return stdout === text ? null : `${path} on main is not what was there before the crash`;
}

async function makeRepository({ folder, repo }: Stage, tasks: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const agent = join(folder, 'agent.sh');
  writeFiles(folder, { 'agent.sh': agentText(folder) });
  writeFiles(repo, {
    'PRD.md': `## Tasks\n\n${tasks.map((task) => `- [ ] Make ${task} <!-- id: ${task} -->\n`).join('')}`,
    'gate.sh': gateText(folder),
    'ralph.toml': `agent = "scripted"\n[agents.scripted]\ncommand = ${JSON.stringify(['sh', agent])}\n[gates]\ncommands = ["sh gate.sh"]\n`,
  });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Demo'],
    ['config', 'user.email', 'demo@localhost'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'Start'],
  ])
    await runGit(args, { cwd: repo });
}

/** Does a part of its task when it is started first, says where it is, and waits until it may go on. */
const agentText = (folder: string): string => `task=$RALPH_TASK_ID
at=${shellWord(folder)}/$task
printf x >> "$at.starts"
echo $$ > "$at.pid.new" && mv "$at.pid.new" "$at.pid"
case $task-$(cat "$at.starts") in
staged-x) echo half > staged.txt && git add staged.txt ;;
committed-x) echo half > committed.txt && git add -A && git commit -q -m half ;;
first-*|second-*|usual-*) : > "$at.go" ;;
esac
: > "$at.at"
while [ ! -e "$at.go" ]; do sleep 0.1; done
[ -e "$task.txt" ] || echo made > "$task.txt"
echo '<promise>COMPLETE</promise>'
`;

/** The gate is green at once, but for the two branches that are tested together. */
const gateText = (folder: string): string => `[ -e first.txt ] && [ -e second.txt ] || exit 0
: > ${shellWord(join(folder, 'gate.at'))}
while [ ! -e ${shellWord(join(folder, 'gate.go'))} ]; do sleep 0.1; done
`;

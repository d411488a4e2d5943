import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { markdownTasks, toml } from '../e2e/harness/project.ts';
import type { Random } from '../sim/model/random.ts';
import { createRandom } from '../sim/model/random.ts';
import type { Kind } from './agent-script.ts';
import { AGENT_SCRIPT, KINDS, SHARE, TRUTH } from './agent-script.ts';
import type { Place } from './place.ts';

/** One round's repository, and what is known about its tasks from outside. */
export interface Scene extends Place {
  /** Folder of the plan and of the ledgers. */
  readonly books: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** What git calls a file with this text. */
  readonly hash: (text: string) => string;
  /** A further task, known to the agents. */
  readonly plan: (id: string) => void;
}

export interface Programs {
  readonly main: string;
  /** With failpoints in it; null: there is none. */
  readonly testMain: string | null;
  readonly scriptedAgent: string;
}

const LIMITS = { iterations: 12, runtime: '10m', grace: '1s', attempts: 2, consecutive_failures: 8, free_mb: 4 };
export const INT = 'refs/paralph/int/main';

/** A repository a user could have: a gate, tasks, hooks, and settings that differ from round to round. */
export function makeScene(place: Place, random: Random, tasks: readonly string[], programs: Programs): Scene {
  const books = join(place.root, 'books');
  mkdirSync(join(books, 'plan'), { recursive: true });
  for (const name of ['commits', 'files']) writeFileSync(join(books, name), '');
  const kinds = new Map<string, Kind>();
  const salt = random.int(2 ** 30);
  const plan = (id: string): void => {
    // By its name: a task that is added later is the same whatever happened before.
    const own = createRandom(Buffer.from(id).reduce((sum, byte) => (sum * 31 + byte) % 2 ** 31, salt));
    const kind = drawKind(own);
    kinds.set(id, kind);
    writeFileSync(join(books, 'plan', id), `${kind} ${(own.between(0, 12) / 10).toFixed(1)}\n`);
  };
  const scene: Scene = { ...place, books, kinds, plan, hash };
  for (const task of tasks) plan(task);
  writeFileSync(join(place.root, 'agent.sh'), AGENT_SCRIPT);
  writeScenario(scene);
  makeRepository(scene, tasks, settings(scene, random, programs));
  return scene;
}

/** As a blob. */
function hash(text: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
}

function drawKind(random: Random): Kind {
  return random.pick(KINDS.flatMap((kind) => Array.from({ length: SHARE[kind] }, () => kind)));
}

function writeScenario({ books }: Scene): void {
  const work = { write: { path: 'work/${task}.txt', text: 'made' } };
  const iterations = [[work, { commit: '${task}: scripted' }, { claim: true }]];
  writeFileSync(join(books, 'scenario.json'), JSON.stringify({ default: { iterations } }));
}

function settings(scene: Scene, random: Random, programs: Programs): string {
  return toml({
    agent: 'chaos',
    gates: { commands: ['sh check.sh'], timeout: '60s' },
    parallel: { merge_policy: 'auto_merge' },
    limits: LIMITS,
    landing: {
      publish: random.pick(['each', 'each', 'end']),
      method: random.pick(['merge', 'merge', 'squash', 'rebase']),
      max_attempts: 12,
    },
    'agents.chaos': {
      command: ['sh', join(scene.root, 'agent.sh'), scene.books, programs.scriptedAgent],
      stall: '12s',
    },
  });
}

/** Every commit that is made by hand or by an agent gets into the ledger, with the loop it was made in. */
const hook = (books: string): string =>
  // The nemesis kills this git too; then nobody can say which commit it was.
  `#!/bin/sh\nid=$(git rev-parse HEAD) && echo "$id \${RALPH_LOOP_ID:-user}" >>'${join(books, 'commits')}'\n`;

function makeRepository(scene: Scene, tasks: readonly string[], config: string): void {
  const { repo, git } = scene;
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Una User');
  git('config', 'user.email', 'una@example.com');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  put('PRD.md', markdownTasks(tasks));
  put('ralph.toml', config);
  put('check.sh', TRUTH);
  put('list.txt', 'the list\n');
  put('notes.txt', 'notes\n');
  put('.gitignore', '*.ignored\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'Plan the work');
  const path = join(repo, '.git/hooks/post-commit');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, hook(scene.books));
  chmodSync(path, 0o755);
  // git writes a reflog for any ref that has one already.
  put(join('.git/logs', INT), '');
}

/** Whole lines of a ledger; one that is just being written is not there yet. */
export function readBook({ books }: Scene, name: 'commits' | 'files'): readonly (readonly string[])[] {
  const text = readFileSync(join(books, name), 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}

/** A line nobody wrote: for proving that the checks see what is lost. */
export function forgeBook({ books }: Scene, name: 'commits' | 'files', line: string): void {
  appendFileSync(join(books, name), `${line}\n`);
}

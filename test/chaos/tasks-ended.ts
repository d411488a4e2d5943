import { spawnSync } from 'node:child_process';

import type { Programs, Scene } from './scene.ts';
import { INT } from './scene.ts';
import { landedTasks } from './landings-right.ts';

interface TaskLine {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly why: string;
}

export interface Ending {
  readonly landed: number;
  /** How many were parked, by reason. */
  readonly parked: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
}

/** What may park work of agents that are merely clumsy and unlucky: nobody in a round tampers, blocks or ejects. */
const TRUE_REASONS = new Set(['iterations', 'runtime', 'no-progress', 'failures', 'conflict', 'red']);
/** An error we planted ourselves is a reason too. */
const isPlanted = (reason: string | null, detail: string | null): boolean =>
  reason === 'broken' && detail?.startsWith('failpoint ') === true;
const isTrue = (reason: string | null, detail: string | null): boolean =>
  TRUE_REASONS.has(String(reason)) || isPlanted(reason, detail);
const FINAL = new Set(['landed', 'parked', 'discarded', 'done']);

/** Runs a command of ours to its end; what it printed. */
export function ask(
  scene: Scene,
  programs: Programs,
  ...args: string[]
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [programs.main, ...args], {
    cwd: scene.repo,
    env: scene.env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 120_000,
  });
  return { code: status, stdout, stderr };
}

/** Every task has landed or is parked for a reason that can be true, as that somebody threw it away; what is hopeless has not landed. */
export function howTasksEnded(scene: Scene, programs: Programs, discarded: ReadonlySet<string>): Ending {
  const { code, stdout, stderr } = ask(scene, programs, 'status', '--json');
  if (code !== 0) return { landed: 0, parked: {}, complaints: [`ralph status exits ${code}: ${stderr}`] };
  const { tasks } = JSON.parse(stdout) as { tasks: readonly TaskLine[] };
  const onInt = new Set(landedTasks(scene, INT));
  const complaints: string[] = [];
  const parked: Record<string, number> = {};
  for (const { id, state, reason, why: detail } of tasks) {
    const kind = scene.kinds.get(id) ?? 'unknown';
    const name = `task ${id} (${kind})`;
    const why = `${reason}: ${detail}`;
    if (!FINAL.has(state)) complaints.push(`${name} ended as ${state}, ${why}`);
    if (state === 'parked') parked[String(reason)] = (parked[String(reason)] ?? 0) + 1;
    if (state === 'parked' && !isTrue(reason, detail)) complaints.push(`${name} is parked: ${why}`);
    if (state === 'discarded' && !discarded.has(id)) complaints.push(`${name} is discarded: ${why}`);
    if (state === 'parked' && onInt.has(id)) complaints.push(`${name} is parked (${why}) and landed`);
    if (state === 'landed' && !onInt.has(id)) complaints.push(`${name} counts as landed and is not on ${INT}`);
    if (kind === 'hopeless' && onInt.has(id)) complaints.push(`${name} landed`);
  }
  for (const id of scene.kinds.keys())
    if (!tasks.some((task) => task.id === id)) complaints.push(`task ${id} is not known any more`);
  return { landed: onInt.size, parked, complaints };
}

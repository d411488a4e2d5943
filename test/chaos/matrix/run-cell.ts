import type { Failpoint, FailpointAction } from '../../../src/world/os/failpoint.ts';
import type { Event } from '../../../src/core/model/events.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import { logFolder } from '../../../src/world/git/run/state-places.ts';
import { refsBelow } from '../../e2e/harness/git.ts';
import { checkInvariants } from '../check-invariants.ts';
import { fingerprint } from '../fingerprint.ts';
import { endInPlace, IN_PLACE_RUN } from './in-place-cell.ts';
import type { Scene } from './scene.ts';
import { makeScene, planTasks, TASKS, TRUTH } from './scene.ts';
import { PARKED, SETTINGS } from './settings.ts';
import type { Programs, Ran } from './start.ts';
import { describe, start } from './start.ts';

export type Action = Exclude<FailpointAction, 'tell'>;

export interface Cell {
  readonly point: Failpoint;
  readonly action: Action;
  /** At which arrival it happens; the first unless told. */
  readonly nth?: number;
}

export interface CellResult extends Cell {
  /** What must not be. */
  readonly violations: readonly string[];
  /** How it went: the armed host's end, what is parked and why. */
  readonly notes: readonly string[];
  readonly ms: number;
  /** Where it can be looked at; null: nothing was wrong, and it is gone. */
  readonly folder: string | null;
}

/** How many hosts may come after the armed one until nothing is left to do. */
const LATER_MAX = 3;
const FINAL = new Set(['landed', 'done', 'parked']);

/** One host meets the point; whoever comes after it must find everything in order and end the work. */
export async function runCell(programs: Programs, cell: Cell): Promise<CellResult> {
  const { point, action, nth = 1 } = cell;
  const startedMs = performance.now();
  const { prelude = [], warm = false, records = 0, inPlace = false, ...setting } = SETTINGS[point] ?? {};
  const { stubborn = false, away = false } = setting;
  const tasks = inPlace ? [] : warm ? ['first'] : TASKS;
  const scene = makeScene({ tasks, stubborn, away, staged: inPlace });
  const violations: string[] = [];
  const notes: string[] = [];
  const before = fingerprint(scene.repo);
  if (records > 0) await fillLog(scene, records);
  for (const armed of prelude) await host(scene, programs, armed);
  if (warm) replan(scene);
  const armed = `${point}#${nth}=${action}`;
  const met = await meet(scene, programs, setting.command ?? (inPlace ? IN_PLACE_RUN : null), armed);
  notes.push(describe(met));
  if (!met.said.includes(`failpoint ${point} ${action}`)) violations.push('the point was never reached');
  if (met.said.includes('did not end')) violations.push('the armed host did not end');
  if (inPlace) {
    const ending = await endInPlace(scene, programs, met);
    violations.push(...ending.violations);
    notes.push(...ending.notes);
  } else await endTheWork(scene, programs, met.code === 0, violations, notes);
  const branches = refsBelow(scene.git, 'refs/heads/ralph/');
  const parked = notes.filter((note) => note.includes('is parked'));
  // An error while a worktree is retired is answered by keeping it, and its branch.
  const isError = action === 'throw' || action === 'enospc';
  if (branches.length > parked.length && !isError) violations.push(`branches are left: ${branches.join(', ')}`);
  const ralph = [process.execPath, programs.main];
  const { repo, env } = scene;
  violations.push(...(await checkInvariants({ repo, ralph, env, before, commits: scene.commits(), truth: TRUTH })));
  if (violations.length === 0) scene.remove();
  const folder = violations.length === 0 ? null : scene.root;
  return { ...cell, violations, notes, ms: Math.round(performance.now() - startedMs), folder };
}

/** Whatever comes by the point: a host, a command of a person's, or a loop in place. */
async function meet(scene: Scene, programs: Programs, command: readonly string[] | null, armed: string): Promise<Ran> {
  if (command === null) return host(scene, programs, armed);
  if (command === IN_PLACE_RUN) return start(scene, [programs.fallible, ...command], armed);
  return ask(scene, programs, await withParked(scene, programs, command), armed);
}

interface TaskLine {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly why: string;
}

/** Hosts without failpoints run until all has landed, or is parked with a reason. */
async function endTheWork(
  scene: Scene,
  programs: Programs,
  endedWell: boolean,
  violations: string[],
  notes: string[],
): Promise<void> {
  for (let later = endedWell ? 0 : 1; later <= LATER_MAX; later += 1) {
    if (later > 0) {
      const ran = await host(scene, programs, '');
      notes.push(`then ${describe(ran)}`);
      if (later > 1) violations.push(`host ${later} after it had something to do: ${ran.said.slice(-800)}`);
    }
    const tasks = await tasksOf(scene, programs);
    if (tasks === null || !tasks.every((task) => FINAL.has(task.state))) continue;
    for (const { id, reason, why } of tasks.filter((task) => task.state === 'parked'))
      notes.push(`${id} is parked: ${reason}: ${why}`);
    return;
  }
  violations.push(`${LATER_MAX} further hosts did not end the work`);
}

/** Calls a command of a person's, and again as it ships if that did not end well. */
async function ask(scene: Scene, programs: Programs, command: readonly string[], armed: string): Promise<Ran> {
  const first = await start(scene, [programs.fallible, ...command], armed);
  if (first.code === 0) return first;
  const again = await start(scene, [programs.main, ...command], '');
  return again.code === 0 ? first : { ...again, said: `${first.said}\nagain: ${again.said}` };
}

async function withParked(scene: Scene, programs: Programs, command: readonly string[]): Promise<readonly string[]> {
  const parked = (await tasksOf(scene, programs))?.find((task) => task.state === 'parked');
  return command.map((word) => (word === PARKED ? (parked?.id ?? '') : word));
}

async function tasksOf(scene: Scene, programs: Programs): Promise<readonly TaskLine[] | null> {
  const { code, said } = await start(scene, [programs.main, 'status', '--json'], '');
  if (code !== 0) return null;
  try {
    return (JSON.parse(said) as { tasks: readonly TaskLine[] }).tasks;
  } catch {
    return null;
  }
}

function host(scene: Scene, { main, fallible }: Programs, armed: string): Promise<Ran> {
  const program = armed === '' ? main : fallible;
  return start(scene, [program, 'run', '--parallel', '--max-workers', '3'], armed);
}

function replan({ repo, git }: Scene): void {
  planTasks(repo, [...TASKS]);
  git('commit', '-q', '-m', 'Plan more', '--', 'PRD.md');
}

/** Facts that change nothing. */
async function fillLog({ repo }: Scene, count: number): Promise<void> {
  const log = await openFileLog<Event>(logFolder(findRepository(repo)));
  for (let seq = 0; seq < count; seq += 1) await log.append(seq, 'filler', 0, [{ type: 'disk-freed' }]);
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { itAllowed } from '../../needs.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import type { CuttableScratch } from '../harness/power.ts';
import { cuttableScratch, stopped, whyNoDisk } from '../harness/power.ts';
import { project } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { fakeProgram } from '../harness/shell-agent.ts';
import { INT } from '../harness/values.ts';

const missing = whyNoDisk();
const itCuts = itAllowed(missing ?? '', missing === null);

const TASKS = ['t1', 't2', 't3'];
const STEPS = ['land.before_sync', 'land.before_cas', 'land.after_cas', 'land.synced', 'land.done'] as const;

/** One task has landed, two are ready. */
async function oneLanded(): Promise<CuttableScratch> {
  const one = cuttableScratch();
  project(one, { tasks: TASKS, config: { parallel: { merge_policy: 'manual' }, limits: { free_mb: 1 } } });
  const ran = await ralph(one, ['run', '--parallel', '--max-workers', '3']);
  expect(ran.code, ran.stderr).toBe(0);
  const landed = await ralph(one, ['land', 't1']);
  expect(landed.code, landed.stderr).toBe(0);
  return one;
}

/** Lands the rest and cuts the power there. What had been told as landed by then. */
async function cutAt(
  one: CuttableScratch,
  step: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const host = startRalph(one, ['land', '--all'], { failpoints: `${step}=stop`, env });
  await stopped(host.pid);
  const disk = one.cut();
  host.signal('SIGKILL');
  await host.ended;
  const told = await ralph(one, ['tasks', 'list', '--json'], { isCheckoutGuarded: false });
  one.comeBack(disk);
  const { tasks } = JSON.parse(told.stdout) as { tasks: { id: string; state: string }[] };
  return tasks.filter((task) => task.state === 'landed').map((task) => task.id);
}

/** Files of objects that a power cut left empty. */
function emptyObjects(one: CuttableScratch): string[] {
  const folder = join(one.repo, '.git/objects');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => statSync(path).size === 0);
}

describe('case 35: a power cut while work lands', () => {
  itCuts(
    'case 35: at each step main is readable, nothing told as landed is lost, and the next host ends it',
    async () => {
      const one = await oneLanded();
      one.flush();
      const before = one.cut();
      for (const step of STEPS) {
        one.comeBack(before);
        const told = await cutAt(one, step);
        expect(told, step).toContain('t1');
        for (const ref of ['main', INT]) {
          expect(gitSays(one.git, 'rev-list', '--objects', ref), `${ref} is whole after ${step}`).toBe(true);
        }
        expect(landedTasks(one.git, INT), `told as landed before ${step}`).toEqual(expect.arrayContaining(told));
        const { code, stdout, stderr } = await ralph(one, ['land', '--all'], { isCheckoutGuarded: false });
        expect(code, `${step}: ${stdout}${stderr}`).toBe(0);
        expect(landedTasks(one.git, 'main').sort(), step).toEqual(TASKS);
        expect(one.git('fsck', '--full', '--no-dangling', '--no-progress'), step).toBe('');
        expect(emptyObjects(one), step).toEqual([]);
      }
      // The cut is a real one: without flushing to disk the same landing is lost or broken.
      const env = { PATH: `${fakeProgram(one, 'sync', 'exit 0')}:${one.env['PATH']}` };
      const isLost = async (): Promise<boolean> => {
        one.comeBack(before);
        await cutAt(one, 'land.done', env);
        const isWhole = gitSays(one.git, 'rev-list', '--objects', INT);
        return !isWhole || landedTasks(one.git, INT).length < TASKS.length;
      };
      // A machine that is short of memory may have flushed it by itself, but not again and again.
      expect((await isLost()) || (await isLost()) || (await isLost())).toBe(true);
    },
  );
});

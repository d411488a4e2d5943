import { existsSync, renameSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { landedTasks } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

const HOUR_MS = 3_600_000;

/** Lets the clock of the program jump as a person or a suspended machine does: what counts the time awake goes on. */
function settableClock(one: Scratch): { readonly env: Record<string, string>; readonly set: (byMs: number) => void } {
  const [code, by] = [beside(one, 'clock.cjs'), beside(one, 'clock-by')];
  const read = `Number(require('node:fs').readFileSync(${JSON.stringify(by)}, 'utf8'))`;
  writeFileSync(by, '0');
  writeFileSync(code, `const real = Date.now; Date.now = () => real() + ${read};\n`);
  const set = (byMs: number): void => {
    writeFileSync(`${by}.new`, String(byMs));
    renameSync(`${by}.new`, by);
  };
  return { env: { NODE_OPTIONS: `--require=${code}` }, set };
}

describe('a clock that jumps while agents work', () => {
  it('case 70: asleep, and case 69, set: nobody is stopped for it, nothing runs twice, each jump gets one line, and all lands', async () => {
    const one = scratch();
    const tasks = ['a', 'b'];
    const steps: readonly Step[] = [
      { write: { path: '${task}.txt', text: 'made by ${task}\n' } },
      { waitForFile: { path: beside(one, 'go') } },
      { claim: true },
    ];
    project(one, { tasks, agent: steps, config: { limits: { iterations: 1, runtime: '100s', grace: '1s' } } });
    const { env, set } = settableClock(one);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2', '--events'], { env });
    await until('both agents', () => starts(one).length === 2);
    set(8 * HOUR_MS);
    await run.waitFor(/the machine slept for (8h00m|7h59m).*deadlines were extended/);
    set(-2 * HOUR_MS);
    await run.waitFor(/the clock was set back by (10h00m|9h59m)/);
    set(-Date.now());
    await until('the year 1970', () => run.output().stderr.match(/set back/g)?.length === 2);
    expect(existsSync(beside(one, 'go'))).toBe(false);
    writeFileSync(beside(one, 'go'), '');
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(stderr.match(/the machine slept|the clock was set/g)).toHaveLength(3);
    expect(starts(one)).toHaveLength(2);
    expect(landedTasks(one.git, INT).sort()).toEqual(tasks);
    const told = run.events().flatMap(({ durationMs }) => (typeof durationMs === 'number' ? [durationMs] : []));
    expect(told.length).toBeGreaterThan(2);
    expect(told.filter((ms) => ms < 0 || ms > HOUR_MS)).toEqual([]);
  });
});

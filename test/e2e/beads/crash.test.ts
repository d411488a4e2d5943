import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { beadsProject, exported, itWithBd, phasesIn, spiedBd } from '../harness/beads.ts';
import type { BeadsProject, Issue } from '../harness/beads.ts';
import { crashAt } from '../harness/crash.ts';
import { everything, fingerprint } from '../harness/fingerprint.ts';
import { landedTasks } from '../harness/git.ts';
import { starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';

/** `BEADS_SIZE=30` is for a long look. */
const SIZE = Number(process.env['BEADS_SIZE'] ?? '6');
const WORK = Array.from({ length: SIZE }, (_, at): Issue => {
  const id = `t-e.${at + 1}`;
  return { id, parent: 't-e', priority: at % 3, ...(at % 5 === 4 ? { deps: [`t-e.${at}`] } : {}) };
});
const ISSUES: readonly Issue[] = [
  { id: 't-e', type: 'epic', priority: 0 },
  { id: 't-stuck', priority: 0, status: 'blocked' },
  { id: 't-behind', priority: 0, deps: ['t-stuck'] },
  ...WORK,
];
const IDS = WORK.map(({ id }) => id).sort();
/** Claimed without a worktree; at work; committed; in a train; landed and not told; half cleaned up. */
const POINTS = ['wt.intent', 'run.after_identity', 'iter.ended', 'train.held', 'land.after_cas', 'retire.done'];
const ORCHESTRATE = ['orchestrate', '--max-agents', '4'];

const untouched = ({ place }: BeadsProject): readonly string[] =>
  ['config', 'info/exclude', 'HEAD'].map((name) => readFileSync(join(place.repo, '.git', name), 'utf8'));

describe('hosts that are killed while they work on Beads', () => {
  itWithBd('1.3.0')(
    'A3, 23, D3.3: in each phase, and started again: every bead is done and closed once',
    async () => {
      const one = beadsProject('1.3.0', ISSUES);
      const spy = spiedBd(one, '', { isWatched: true });
      const before = untouched(one);
      const hooks = everything(join(one.place.repo, '.git/hooks'));
      for (const point of POINTS) await crashAt(one.place, ORCHESTRATE, point, { env: spy.env });
      const { code, stdout, stderr } = await ralph(one.place, ORCHESTRATE, { env: spy.env, isCheckoutGuarded: false });
      expect(code, stdout + stderr).toBe(0);
      expect([...landedTasks(one.place.git, 'main')].sort()).toEqual(IDS);
      const crowded = spy.looks().flatMap((shown) => shown.filter((issue) => phasesIn(issue).length > 1));
      expect(crowded).toEqual([]);
      expect(spy.looks().length).toBeGreaterThan(5 * SIZE);
      const after = new Map(one.all().map((shown) => [shown.id, shown]));
      const closes = spy.calls().filter((line) => line.startsWith('0 close'));
      for (const id of IDS) {
        expect(after.get(id), id).toMatchObject({ status: 'closed', labels: ['phase:merged'] });
        expect(after.get(id)?.close_reason).toMatch(/^Landed on main as [0-9a-f]{40}$/);
        expect(
          closes.filter((line) => line.startsWith(`0 close ${id} `)),
          id,
        ).toHaveLength(1);
      }
      expect(after.get('t-e')?.status).toBe('closed');
      expect(phasesIn(after.get('t-behind') ?? {})).toEqual([]);
      const worked = new Set(starts(one.place).map(({ task }) => task));
      expect([...worked].filter((task) => !IDS.includes(task))).toEqual([]);
      expect(untouched(one)).toEqual(before);
      expect(everything(join(one.place.repo, '.git/hooks'))).toEqual(hooks);
      expect(one.place.git('status', '--porcelain')).toBe('');
    },
    900_000,
  );

  itWithBd('1.3.0')('A6, 3, D3.1: dry runs change nothing: no file, no ref, no issue', async () => {
    const one = beadsProject('1.3.0', ISSUES);
    const [print, issues] = [fingerprint(one.place.repo), exported(one)];
    const refs = one.place.git('for-each-ref');
    for (const command of ['orchestrate', 'run']) {
      const { code, stdout, stderr } = await ralph(one.place, [command, '--dry-run']);
      expect(code, stderr).toBe(0);
      expect(stdout).toMatch(/start\s+t-e\.1/);
      expect(stdout).not.toMatch(/start\s+t-(?:e|stuck|behind)\s/);
    }
    expect(fingerprint(one.place.repo)).toEqual(print);
    expect(one.place.git('for-each-ref')).toBe(refs);
    expect(exported(one)).toBe(issues);
  });

  itWithBd('1.3.0')(
    '40. a bd that is locked or crashes is asked again; one that fails for good is told once',
    async () => {
      const one = beadsProject('1.3.0', [{ id: 't-a' }]);
      const count = join(one.place.root, 'count');
      const flaky = spiedBd(
        one,
        `n=$(cat '${count}' 2>/dev/null || echo 0); echo $((n + 1)) > '${count}'
case $((n % 5)) in 1) echo 'Error: database is locked' >&2; exit 1;; 3) kill -SEGV $$;; esac`,
      );
      const { code, stdout, stderr } = await ralph(one.place, ['run'], { env: flaky.env });
      expect(code, stdout + stderr).toBe(0);
      expect(one.show('t-a').status).toBe('closed');
      const broken = spiedBd(one, `echo 'Error: the disk is gone' >&2; exit 1`);
      const failed = await ralph(one.place, ['run'], { env: broken.env });
      expect(failed.code).toBe(4);
      expect(failed.stderr).toMatch(/bd \w+: the disk is gone/);
    },
  );

  for (const version of ['1.3.0', '0.47.1'] as const)
    itWithBd(version)(`37, D3.8: 120 issues are all seen, with two calls, by bd ${version}`, async () => {
      const many = Array.from({ length: 120 }, (_, at) => ({ id: `t-${at + 1}` }));
      const one = beadsProject(version, many);
      const spy = spiedBd(one);
      const { stdout, stderr } = await ralph(one.place, ['tasks', 'list', '--json'], { env: spy.env });
      expect((JSON.parse(stdout) as { readonly tasks: readonly unknown[] }).tasks, stderr).toHaveLength(120);
      expect(spy.calls()).toHaveLength(2);
    });
});

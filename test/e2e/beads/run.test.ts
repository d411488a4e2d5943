import { describe, expect } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { beadsProject, itWithBd, phasesIn } from '../harness/beads.ts';
import { ralph } from '../harness/ralph.ts';

const ISSUES = [
  { id: 't-e', title: 'Epic: search', type: 'epic', priority: 0 },
  { id: 't-e.1', parent: 't-e', priority: 1 },
  { id: 't-e.2', parent: 't-e', priority: 1, deps: ['t-e.1'] },
  { id: 't-c', priority: 2 },
  { id: 't-d', priority: 0, labels: ['proposed'] },
  { id: 't-b', priority: 0, status: 'blocked' },
];

describe('tasks in Beads', () => {
  for (const version of ['1.3.0', '0.47.1'] as const)
    itWithBd(version)(
      `B3.3, 39, 41: land side by side, and are closed with their phases and epic, by bd ${version}`,
      async () => {
        const one = beadsProject(version, ISSUES);
        const { code, stdout, stderr } = await ralph(one.place, ['run', '--parallel', '--max-workers', '2']);
        expect(code, stdout + stderr).toBe(0);
        const landed = landedTasks(one.place.git, 'main');
        expect([...landed].sort()).toEqual(['t-c', 't-e.1', 't-e.2']);
        expect(landed.indexOf('t-e.1')).toBeLessThan(landed.indexOf('t-e.2'));
        const after = new Map(one.all().map((shown) => [shown.id, shown]));
        for (const id of landed) {
          const shown = after.get(id);
          expect(shown, id).toMatchObject({ status: 'closed', assignee: expect.stringMatching(/^r-\w+\/t-/) });
          expect(shown?.close_reason).toMatch(/^Landed on main as [0-9a-f]{40}$/);
          expect(phasesIn(shown ?? {})).toEqual(['phase:merged']);
          const told = version === '1.3.0' ? JSON.stringify(shown?.metadata) : shown?.notes;
          expect(told).toMatch(/ralph\/t-/);
        }
        expect(after.get('t-e')).toMatchObject({ status: 'closed', close_reason: 'All of its parts are closed' });
        expect(after.get('t-d')).toMatchObject({ status: 'open', labels: ['proposed'] });
        expect(after.get('t-b')).toMatchObject({ status: 'blocked' });
        expect(one.place.git('status', '--porcelain')).toBe('');
      },
    );
});

import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { beadsProject, itWithBd, phasesIn } from '../harness/beads.ts';
import type { BeadsProject } from '../harness/beads.ts';
import { landedTasks } from '../harness/git.ts';
import { HONEST, writeScenario } from '../harness/project.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { until } from '../harness/until.ts';

const landed = ({ place }: BeadsProject): readonly string[] => landedTasks(place.git, 'main');
const RUN = ['orchestrate', '--max-agents', '1'];

describe('Beads is the truth about tasks', () => {
  itWithBd('1.3.0')('a bead that a person opens again is done again, one that they block is left', async () => {
    const one = beadsProject('1.3.0', [{ id: 't-a' }, { id: 't-b', priority: 3 }], (place) => ({
      byTask: { 't-b': [{ waitForFile: { path: beside(place, 'go') } }, ...HONEST] },
    }));
    const host = startRalph(one.place, RUN);
    await until('the second is at work', () => phasesIn(one.show('t-b')).join() === 'phase:working');
    one.bd('update', 't-b', '--status', 'blocked');
    await host.waitFor(/t-b.*it is blocked in Beads/);
    writeFileSync(beside(one.place, 'go'), '');
    const { stdout, stderr } = await host.ended;
    expect(landed(one), stdout + stderr).toEqual(['t-a']);
    expect(one.show('t-b').status).toBe('blocked');
    one.bd('reopen', 't-a');
    one.place.again.add('t-a');
    writeScenario(one.place, { agent: [{ append: { path: 't-a.txt', text: 'more\n' } }, { claim: true }] });
    const again = await ralph(one.place, RUN, { isCheckoutGuarded: false });
    expect(landed(one), again.stderr).toEqual(['t-a', 't-a']);
    expect(one.place.git('show', 'main:t-a.txt')).toBe('made by t-a\nmore');
    expect(one.show('t-a')).toMatchObject({ status: 'closed', labels: ['phase:merged'] });
  });

  itWithBd('1.3.0')(
    'what parks is given back, and what a loop finds waits as proposed until a person wants it',
    async () => {
      const one = beadsProject('1.3.0', [{ id: 't-a' }]);
      shellProject(
        one.place,
        `ralph task add 'Mend the "index"' --body 'It is slow'
       test ! -e '${beside(one.place, 'fails')}' || exit 1
       echo done > "$RALPH_TASK_ID.txt"
       echo '<promise>COMPLETE</promise>'`,
        { tasks: {}, config: { limits: { consecutive_failures: 1 } } },
      );
      writeFileSync(beside(one.place, 'fails'), '');
      expect((await ralph(one.place, RUN)).code).toBe(1);
      await until('it is given back', () => one.show('t-a').status === 'open');
      expect(one.show('t-a').assignee ?? '').toBe('');
      expect(phasesIn(one.show('t-a'))).toEqual([]);
      const found = one.all().find(({ title }) => title === 'Mend the "index"');
      expect(found).toMatchObject({ status: 'open', labels: ['proposed'] });
      const dry = await ralph(one.place, ['orchestrate', '--dry-run']);
      expect(dry.stdout).not.toMatch(new RegExp(`start +${found?.id}`));
      one.bd('update', found?.id ?? '', '--remove-label', 'proposed');
      expect((await ralph(one.place, ['orchestrate', '--dry-run'])).stdout).toMatch(new RegExp(`start +${found?.id}`));
    },
  );
});

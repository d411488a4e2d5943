import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { loopOf, shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

describe('loops steer', () => {
  it('reaches an agent that hears nothing meanwhile with its next iteration; says of a parked loop what to do instead', async () => {
    const one = scratch();
    const [at, go] = [beside(one, 'at'), beside(one, 'go')];
    writeFileSync(
      beside(one, 'steered.sh'),
      `[ $RALPH_TASK_ID = alpha ] || { echo x >> x.txt; exit 3; }
       cat > ${beside(one, 'prompt')}.$RALPH_ITERATION
       touch ${at}
       while [ ! -e ${go} ]; do sleep 0.1; done
       echo $RALPH_ITERATION >> made.txt
       if [ "$RALPH_ITERATION" = 2 ]; then echo '<promise>COMPLETE</promise>'; fi`,
    );
    shellProject(
      one,
      'true',
      { tasks: ['alpha', 'beta'], config: { limits: { consecutive_failures: 1 } } },
      { command: ['sh', beside(one, 'steered.sh')] },
    );
    const run = startRalph(one, ['run', '--parallel', '--events']);
    await until('the agent', () => existsSync(at));
    const loop = await loopOf(one, 'alpha');
    const told = await ralph(one, ['loops', 'steer', 'alpha', 'Use', 'the', 'old table', '--json']);
    expect(told.code).toBe(0);
    expect(JSON.parse(told.stdout)).toEqual({
      version: 1,
      loop,
      task: 'alpha',
      text: 'Use the old table',
      when: 'next-iteration',
    });
    const again = await ralph(one, ['loops', 'steer', loop, 'And be quick\u001b[31m']);
    expect(again.stderr).toContain('next iteration');
    expect(again.stderr).toContain('text');
    expect((await ralph(one, ['loops', 'steer', loop, ' '])).code).toBe(2);
    writeFileSync(go, '');
    expect((await run.ended).code).toBe(1);
    const prompt = readFileSync(`${beside(one, 'prompt')}.2`, 'utf8');
    expect(prompt).toContain('Use the old table');
    expect(prompt).toContain('And be quick');
    expect(readFileSync(`${beside(one, 'prompt')}.1`, 'utf8')).not.toContain('Use the old table');

    const late = await ralph(one, ['loops', 'steer', 'alpha', 'too late']);
    expect(late.code).toBe(2);
    expect(late.stderr).toContain('error[E_LOOP_ENDED]');
    expect(late.stderr).toMatch(/landed/);
    const parked = await ralph(one, ['loops', 'steer', 'beta', 'try again']);
    expect(parked.code).toBe(2);
    expect(parked.stderr).toMatch(/parked \(failures/);
    expect(parked.stderr).toMatch(/fix: ralph loops resume beta-\w+$/m);
    const nobody = await ralph(one, ['loops', 'steer', 'nobody', 'hello']);
    expect([nobody.code, /E_UNKNOWN_ID/.test(nobody.stderr)]).toEqual([2, true]);
  });
});

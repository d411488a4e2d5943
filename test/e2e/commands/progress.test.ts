import { describe, expect, it } from 'vitest';

import { HONEST, project } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('progress', () => {
  it('says once what goes on where nothing is heard for more than a moment', async () => {
    const one = scratch();
    const gate = `while ! test -e '${beside(one, 'go')}'; do sleep 0.1; done`;
    project(one, { tasks: ['a'], agent: HONEST, config: { gates: { commands: [gate], base: false } } });
    const run = startRalph(one, ['run']);
    await run.waitFor(/^a: its gates run$/m);
    one.put('../go', '');
    const { stderr, code } = await run.ended;
    expect(code).toBe(0);
    expect(stderr.match(/its gates run/g)).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { forgeProject } from './project.ts';

describe('delivery by pull request', () => {
  it('A19.1 opens one for each task, and the run ends while they wait', async () => {
    const { forge, run, place } = await forgeProject({ tasks: ['a', 'b'] });
    const ran = await run(['run']);
    expect(ran.stderr).toContain('');
    expect({ code: ran.code, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(forge.pulls.map(({ branch, target, state }) => [branch.split('/')[0], target, state])).toEqual([
      ['ralph', 'main', 'open'],
      ['ralph', 'main', 'open'],
    ]);
    const [first] = forge.pulls;
    expect(first?.body).toContain('## Asked: Make a (a)');
    expect(first?.body).toContain('test ! -e BROKEN');
    expect(place.git('-C', forge.bare, 'show', `${first?.branch ?? ''}:PRD.md`)).toContain('- [x] Make a');
    expect(place.git('-C', forge.bare, 'show', 'main:PRD.md')).toContain('- [ ] Make a');
    const listed = await run(['pr', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      pulls: [
        { number: 1, state: 'open' },
        { number: 2, state: 'open' },
      ],
    });
  });
});

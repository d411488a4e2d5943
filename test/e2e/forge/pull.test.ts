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

  it('A19.1 tells a reviewer all there is to know, and is dressed as [forge.pr] says', async () => {
    const tasks = `# Plan\n\n- [ ] Make a <!-- id: a -->\n  Because of reasons.\n  - It is blue\n`;
    const { forge, run } = await forgeProject({
      tasks: { 'PRD.md': tasks },
      agent: [
        { write: { path: 'a.txt', text: 'a' } },
        { commit: 'Paint it' },
        { print: 'It is blue now.' },
        { claim: true },
      ],
      config: {
        'forge.pr': {
          labels: ['ours'],
          reviewers: ['reviewer', 'octo'],
          assignees: ['octo'],
          title: '[{{task_id}}] {{title}}',
          body: 'Made by {{agent}} for {{target}}.',
        },
      },
    });
    const ran = await run(['run']);
    expect({ code: ran.code, err: ran.stderr }).toMatchObject({ code: 0 });
    const [pull] = forge.pulls;
    expect(pull).toMatchObject({ title: '[a] Make a', labels: ['ours'], assignees: ['octo'] });
    // Nobody reviews their own.
    expect(ran.stderr).toContain('Review cannot be requested from pull request author');
    const body = pull?.body ?? '';
    const parts = [
      'Made by scripted for main.',
      '## Asked: Make a (a)',
      '### Acceptance',
      '- It is blue',
      '## Done',
      '- Paint it',
      'It is blue now.',
      '## Gates',
      '- `test ! -e BROKEN`: green',
      'Green together with `main` at ',
      '1 iteration of scripted',
    ];
    const places = parts.map((part) => body.indexOf(part));
    expect({ body, places }).toMatchObject({ places: places.toSorted((a, b) => a - b) });
    expect({ body, least: Math.min(...places) }).toMatchObject({ least: 0 });
  });

  it('A19.8 doctor names what is missing: a token, the repository, the right to write', async () => {
    const { run, place, forge } = await forgeProject({ tasks: ['a'] });
    const forgeLine = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
      const { stdout } = await run(['doctor'], { env });
      return /^.*forge: .*(?:\n +fix: .*)?/m.exec(stdout)?.[0] ?? '';
    };
    expect(await forgeLine()).toContain('octo/shop, by the remote origin');
    expect(await forgeLine({ GH_TOKEN: '' })).toMatch(/FAIL .*GH_TOKEN, GITHUB_TOKEN.*\n.*gh auth login/);
    expect(await forgeLine({ GH_TOKEN: 'wrong' })).toMatch(/FAIL .*refuses the token/);
    expect(await forgeLine({ GH_TOKEN: 'stranger-token' })).toMatch(/FAIL .*the token may not write to octo\/shop/);
    place.git('remote', 'set-url', 'origin', forge.git.replace('shop', 'other'));
    expect(await forgeLine()).toMatch(/FAIL .*no repository octo\/other/);
    place.git('remote', 'remove', 'origin');
    expect(await forgeLine()).toMatch(/FAIL .*no remote origin.*\n.*git remote add origin/);
  });

  it('A19.8 the setting itself says where they will go, or what is missing', async () => {
    const { run } = await forgeProject({ tasks: ['a'], config: { parallel: { merge_policy: 'manual' } } });
    const set = (env: Readonly<Record<string, string>> = {}) =>
      run(['config', 'set', 'parallel.merge_policy', 'pr'], { env });
    const { code, stderr } = await set();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('pull requests go to octo/shop on 127.0.0.1:');
    expect(stderr).toContain('a token was found');
    const without = await set({ GH_TOKEN: '' });
    expect(without.code).toBe(0);
    expect(without.stderr).toContain('fix: gh auth login --hostname 127.0.0.1:');
  });

  it.each(['pr open', 'land', 'loops publish-review'])('A19.1 what is ready becomes one by ralph %s', async (words) => {
    const { forge, run } = await forgeProject({ tasks: ['a'], config: { parallel: { merge_policy: 'manual' } } });
    expect((await run(['run'])).code).toBe(0);
    expect(forge.pulls).toEqual([]);
    const args = [...words.split(' '), 'a', '--set', 'parallel.merge_policy=pr'];
    const opened = await run([...args, '--json']);
    expect({ code: opened.code, err: opened.stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(opened.stdout)).toMatchObject({ pulls: [{ number: 1, task: 'a', state: 'open' }] });
    expect(forge.pulls).toHaveLength(1);
    // Asked for again, it is the same one.
    expect((await run(args)).code).toBe(0);
    expect(forge.pulls).toHaveLength(1);
  });
});

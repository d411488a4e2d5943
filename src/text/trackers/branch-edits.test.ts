import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { branchEdits } from './branch-edits.ts';

const PRD = '# Plan\n\nWords.\n\n- [ ] Login\n- [x] Logout\n- [ ] Profile\n  - with a picture\n';
const own = taskId('login');
const markdown = (branch: string) => branchEdits('markdown', PRD, branch, own);

describe('branchEdits', () => {
  it.each([
    ['its own box', PRD.replace('[ ] Login', '[x] Login'), ['login']],
    ['every box', PRD.replaceAll('[ ]', '[X]'), ['login', 'profile']],
    ['a box of another', PRD.replace('[ ] Profile', '[-] Profile'), ['profile']],
    ['a box it opened', PRD.replace('[x]', '[ ]'), ['logout']],
    [
      'its box, with other line ends and no last one',
      PRD.replace('[ ] Login', '[x] Login').replaceAll('\n', '\r\n').trimEnd(),
      ['login'],
    ],
  ])('finds nothing in %s', (_what, branch, ids) => {
    expect(markdown(branch)).toEqual({ text: PRD, dropped: 'fields', ids });
  });

  it('finds nothing where nothing was done, or only the layout is another', () => {
    expect(markdown(PRD)).toEqual({ text: PRD, dropped: null, ids: [] });
    expect(markdown(`${PRD}\n`)).toEqual({ text: PRD, dropped: null, ids: [] });
  });

  it.each([
    ['words around the tasks', PRD.replace('Words.', 'Other words.')],
    ['words below its own task', PRD.replace('- [ ] Login\n', '- [ ] Login\n  - done in login.ts\n')],
    ['a section of its own', `${PRD}\n## Log\n\n- made the page\n`],
  ])('keeps %s, without its ticks', (_what, branch) => {
    expect(markdown(branch)).toEqual({ text: branch, dropped: null, ids: [] });
    const ticked = branch.replaceAll('[ ]', '[x]');
    expect(markdown(ticked)).toEqual({ text: branch, dropped: 'fields', ids: ['login', 'profile'] });
  });

  it.each([
    ['a task more', `${PRD}- [ ] Search\n`],
    ['a task less', PRD.replace('- [x] Logout\n', '')],
    ['other words for a task', PRD.replace('Profile', 'Profile page')],
    ['another list', '- [x] all done\n'],
    ['other wants of another task', PRD.replace('with a picture', 'without a picture')],
    ['another order', PRD.replace('- [ ] Login\n- [x] Logout\n', '- [x] Logout\n- [ ] Login\n')],
  ])('drops %s', (_what, branch) => {
    expect(markdown(branch)).toMatchObject({ text: PRD, dropped: 'tasks' });
  });

  it('reads JSON and YAML for what they say, whatever wrote them anew', () => {
    const stories = [
      { id: 'login', title: 'Login', passes: false },
      { id: 'b', title: 'B' },
    ];
    const json = `${JSON.stringify({ stories }, null, 4)}\n`;
    const by = (text: string) => branchEdits('json', json, text, own);
    const done = stories.map((story) => ({ ...story, passes: true, status: 'done' }));
    expect(by(JSON.stringify({ stories: done }))).toEqual({ text: json, dropped: 'fields', ids: ['login', 'b'] });
    expect(by('{ "stories": [')).toEqual({ text: json, dropped: 'tasks', ids: [] });
    const noted = json.replace('"passes": false', '"notes": "in login.ts",\n            "passes": true');
    expect(by(noted)).toEqual({ text: noted.replace('true', 'false'), dropped: 'fields', ids: ['login'] });
    const yaml = 'tasks:\n  - id: login # mine\n    title: Login\n    completed: no\n';
    expect(branchEdits('yaml', yaml, 'tasks: [{id: login, title: Login, completed: yes}]\n', own)).toEqual({
      text: yaml,
      dropped: 'fields',
      ids: ['login'],
    });
  });
});

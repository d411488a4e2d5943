import { describe, expect, it } from 'vitest';
import { workComment, readWork } from '../forge/work-comment.ts';
import { readIssueBody } from './issue-body.ts';
import { isChosen, issueTasks, neededBy } from './issue-tasks.ts';
import type { Issue, IssuesAround } from './issue-tasks.ts';

const issue = (number: number, more: Partial<Issue> = {}): Issue => ({
  number,
  title: `Make ${number}`,
  body: '',
  isOpen: true,
  by: 'octo',
  isByCollaborator: true,
  labels: [],
  milestone: null,
  assignees: [],
  parent: null,
  parts: 0,
  comments: 0,
  ...more,
});

const AROUND: IssuesAround = {
  repository: 'octo/shop',
  isAnyLabel: true,
  others: new Map(),
  parts: new Map(),
  work: new Map(),
};

const read = (text: string) => readIssueBody(text, 'octo/shop');

describe('the text of an issue', () => {
  it('has its boxes as acceptance, wherever they stand, and says the rest', () => {
    const body = 'Please.\n\n## Acceptance Criteria\n\n- [ ] one\n* [x] **two**\n\n## Notes\n\n1. [ ] three\n';
    expect(read(body)).toMatchObject({ text: 'Please.\n\n## Notes', acceptance: ['one', '**two**', 'three'] });
  });

  it.each([
    ['Depends on #12', [12]],
    ['depends on: #1, #2 and #3.', [1, 2, 3]],
    ['**Depends on** octo/shop#4 & #5', [4, 5]],
    ['Blocked by https://github.com/octo/shop/issues/6, https://github.com/octo/shop/pull/7', [6, 7]],
    ['This depends on nothing; see #8', []],
    ['`Depends on #9`', []],
    ['```\nDepends on #10\n- [ ] no box\n```', []],
    ['<!-- Depends on #11 -->', []],
  ])('%s', (text, deps) => {
    expect(read(text)).toMatchObject({ deps, acceptance: [] });
  });

  it('tells what it needs of other repositories apart', () => {
    expect(read('Depends on other/place#3')).toMatchObject({ deps: [], elsewhere: ['other/place#3'] });
  });

  it('shows nobody what the page does not show', () => {
    expect(read('seen <!-- unseen --> seen <!-- open for ever').text).toBe('seen  seen');
  });
});

describe('issues as tasks', () => {
  const tasks = (list: readonly Issue[], around: Partial<IssuesAround> = {}) =>
    issueTasks(list, { ...AROUND, ...around });

  it('come by number, with what their labels say', () => {
    const labels = ['group:ui', 'P1', 'story:S-1', 'agent:codex', 'model:big', 'in-progress'];
    expect(tasks([issue(3), issue(2, { labels })])).toMatchObject([
      { id: '2', group: 'ui', priority: 1, story: 'S-1', agent: 'codex', model: 'big', labels: labels.slice(0, -1) },
      { id: '3', group: null, priority: null, status: 'open' },
    ]);
  });

  it('wait for what they name and for their parts, until that is closed', () => {
    const whole = issue(1, { body: 'Depends on #4, #5', parts: 2 });
    const list = [whole, issue(2, { parent: 1 }), issue(3, { parent: 1, isOpen: false }), issue(4)];
    expect(tasks(list, { others: new Map([[5, false]]) })[0]).toMatchObject({ deps: ['4', '2'], status: 'open' });
    const waiting = tasks(list, { others: new Map([[5, true]]) })[0];
    expect(waiting).toMatchObject({ status: 'blocked', blockedReason: 'it depends on #5, which is open' });
    expect(tasks(list)[0]?.blockedReason).toBe('it depends on #5, which is not there');
    expect(neededBy(list, 'octo/shop')).toEqual([5]);
  });

  it('are none where they are epics, and know the one they belong to', () => {
    const list = [issue(1, { labels: ['epic'] }), issue(2, { parent: 1 })];
    expect(tasks(list)).toMatchObject([{ id: '2', epic: '1' }]);
  });

  it.each([
    [issue(1, { labels: ['blocked'] }), 'labelled blocked on GitHub'],
    [issue(1, { labels: ['proposed'] }), 'proposed; ralph tasks unblock 1 lets it begin'],
    [issue(1, { labels: ['in-progress'] }), 'labelled in-progress on GitHub, by no loop'],
    [issue(1, { body: 'Depends on other/place#3' }), 'it depends on other/place#3, which is not read'],
    [
      issue(1, { isByCollaborator: false, by: 'x' }),
      'opened by x, who is no collaborator: choose issues by a label (tracker.labels)',
    ],
  ])('do not begin where %j', (one, why) => {
    expect(tasks([one])).toMatchObject([{ status: 'blocked', blockedReason: why }]);
  });

  it('of strangers begin where somebody chose them by a label', () => {
    expect(tasks([issue(1, { isByCollaborator: false })], { isAnyLabel: false })[0]?.status).toBe('open');
  });

  it('are chosen by all labels, by milestone and by assignee', () => {
    const settings = { repository: null, labels: ['Ready'], milestone: '2', assignee: '@octo' };
    const one = issue(1, { labels: ['ready'], milestone: { number: 2, title: 'v1' }, assignees: ['octo'] });
    expect(isChosen(settings, one)).toBe(true);
    expect(isChosen({ ...settings, milestone: 'v1' }, one)).toBe(true);
    expect(isChosen({ ...settings, milestone: 'v2' }, one)).toBe(false);
    expect(isChosen({ ...settings, labels: ['ready', 'big'] }, one)).toBe(false);
    expect(isChosen({ ...settings, assignee: 'else' }, one)).toBe(false);
  });
});

describe('the comment about the work', () => {
  it.each(['working', 'committed', 'merged', 'free'] as const)('tells %s, and is read again', (phase) => {
    const text = workComment({ phase, actor: 'run/x-1', branch: 'ralph/x-1', attempt: 2, detail: 'so it is' });
    expect(readWork(text)).toEqual({ phase, actor: 'run/x-1' });
    expect(text).toContain('`x-1`');
  });
});

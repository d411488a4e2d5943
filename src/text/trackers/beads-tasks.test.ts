import { describe, expect, it } from 'vitest';
import type { Bead } from './beads-answer.ts';
import { beadTasks, finishedEpics, relabelled } from './beads-tasks.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function bead(id: string, more: Partial<Bead> = {}): Bead {
  return {
    id,
    title: `Make ${id}`,
    description: '',
    design: '',
    acceptance: '',
    notes: '',
    status: 'open',
    type: 'task',
    priority: 2,
    assignee: '',
    labels: [],
    createdAt: '2026-01-01T10:00:00Z',
    leaseEndsMs: null,
    externalRef: '',
    parent: null,
    links: [],
    ...more,
  };
}

const around = { ready: null, living: new Set<string>(), nowMs: NOW };
const one = (more: Partial<Bead>, about: Partial<typeof around> = {}) =>
  beadTasks([bead('a', more)], { ...around, ...about })[0];
const held = { status: 'in_progress', labels: ['phase:working'] };

describe('issues as tasks', () => {
  it('39. epics by type, by label and by their parts are none, nor is machinery', () => {
    const beads = [
      bead('e1', { type: 'epic' }),
      bead('e2', { labels: ['epic'] }),
      bead('e3'),
      bead('e3.1', { parent: 'e3' }),
      bead('s', { labels: ['gt:slot'] }),
      bead('v', { type: 'event', parent: 'w' }),
      bead('w'),
      bead('gone', { status: 'tombstone' }),
    ];
    expect(beadTasks(beads, around).map(({ id }) => id)).toEqual(['e3.1', 'w']);
  });

  it('39. an epic is finished when it has parts and all are closed, parts of parts too', () => {
    const closed = { status: 'closed' } as const;
    const beads = [
      bead('top', { type: 'epic' }),
      bead('mid', { type: 'epic', parent: 'top' }),
      bead('x', { ...closed, parent: 'mid' }),
      bead('none', { type: 'epic' }),
      bead('half', { type: 'epic' }),
      bead('h1', { ...closed, parent: 'half' }),
      bead('h2', { parent: 'half' }),
      bead('theirs', { type: 'epic', assignee: 'ann' }),
      bead('t1', { ...closed, parent: 'theirs' }),
    ];
    expect(finishedEpics(beads)).toEqual(['mid', 'top']);
  });

  it.each([
    ['free', {}, 'open', null],
    ['closed', { status: 'closed' }, 'done', null],
    ['blocked by a person', { status: 'blocked' }, 'blocked', /^blocked in Beads/],
    ['deferred', { status: 'deferred' }, 'blocked', /^deferred in Beads/],
    ['proposed', { labels: ['proposed'] }, 'blocked', /^proposed; bd update a --remove-label proposed/],
    ['opened again', { status: 'open', assignee: 'r-1/x-2', labels: ['phase:merged'] }, 'open', null],
    ['assigned to a pool', { assignee: 'rig/worker' }, 'blocked', /^assigned to rig\/worker/],
    ['assigned', { assignee: 'ann' }, 'blocked', /^assigned to ann/],
    ['a person works on it', { status: 'in_progress', assignee: 'ann' }, 'blocked', /^ann works on it/],
    ['a person took it over', { ...held, assignee: 'ann' }, 'blocked', /^ann works on it/],
    ['nobody says who', { status: 'in_progress' }, 'blocked', /no assignee/],
    ['an orchestrator left it', held, 'open', null],
    ['a loop that is gone', { ...held, assignee: 'r-1/x-2' }, 'open', null],
    ['a claim and no more', { status: 'in_progress', assignee: 'r-1/x-2' }, 'blocked', /^claimed by r-1\/x-2/],
    ['a loop with a lease', { ...held, assignee: 'r-1/x-2', leaseEndsMs: NOW + 60_000 }, 'blocked', /^claimed by/],
    ['a loop whose lease is long over', { ...held, assignee: 'r-1/x-2', leaseEndsMs: NOW - 11 * 60_000 }, 'open', null],
    ['a loop that is late', { ...held, assignee: 'r-1/x-2', leaseEndsMs: NOW - 60_000 }, 'blocked', /^claimed/],
    ['its pull request is open', { status: 'in_progress', labels: ['phase:pr_created', 'pr:7'] }, 'blocked', /pr:7/],
    ['merged and not closed', { status: 'in_progress', labels: ['phase:merged'] }, 'blocked', /bd close a ends it/],
  ])('%s', (_name, more, status, why) => {
    const task = one(more as Partial<Bead>);
    expect(task?.status).toBe(status);
    if (why === null) expect(task?.blockedReason).toBeNull();
    else expect(task?.blockedReason).toMatch(why as RegExp);
  });

  it('an orchestrator with a living process keeps its work', () => {
    expect(one(held, { living: new Set(['a']) })?.blockedReason).toMatch(/a process of another orchestrator/);
  });

  it('waits for what is open, not for what is closed, related or above it', () => {
    const links = [
      { on: 'open', type: 'blocks' },
      { on: 'closed', type: 'blocks' },
      { on: 'up', type: 'parent-child' },
      { on: 'found', type: 'discovered-from' },
      { on: 'gone', type: 'blocks' },
    ];
    const beads = [bead('a', { links }), bead('open'), bead('closed', { status: 'closed' }), bead('found')];
    const [a] = beadTasks(beads, { ...around, ready: new Set(['open', 'found']) });
    expect(a).toMatchObject({ deps: ['open'], status: 'open' });
    const [b] = beadTasks([bead('b')], { ...around, ready: new Set<string>() } as never);
    expect(b?.blockedReason).toMatch(/does not list it as ready/);
  });

  it('reads group, story, agent, acceptance and all epics above from labels and links', () => {
    const labels = ['group:auth', 'story:S-1', 'agent:codex', 'model:o9', 'ui', 'phase:working', 'pr:3'];
    const beads = [
      bead('top', { type: 'epic' }),
      bead('mid', { type: 'epic', parent: 'top' }),
      bead('x', { parent: 'mid', labels, acceptance: '- [ ] works\n2. tested\n\n* shown' }),
    ];
    expect(beadTasks(beads, around)[0]).toMatchObject({
      group: 'auth',
      story: 'S-1',
      agent: 'codex',
      model: 'o9',
      epic: 'mid',
      epics: ['mid', 'top'],
      labels: ['group:auth', 'story:S-1', 'agent:codex', 'model:o9', 'ui'],
      acceptance: ['works', 'tested', 'shown'],
    });
  });

  it('41. one phase label and no other, however many there were', () => {
    const many = bead('a', { labels: ['phase:spawned', 'phase:working', 'phase:x'] });
    expect(relabelled(many, 'working')).toEqual(['--remove-label', 'phase:spawned', '--remove-label', 'phase:x']);
    expect(relabelled(bead('a'), 'spawned')).toEqual(['--add-label', 'phase:spawned']);
  });
});

import { describe, expect, it } from 'vitest';
import { issuesProject } from '../forge/project.ts';
import { beadsProject, itWithBd } from '../harness/beads.ts';
import { claimedTasks, isOverlapping, parseEvents, spanOf } from '../harness/events.ts';
import { fingerprint } from '../harness/fingerprint.ts';
import { HONEST, project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { EPIC, LANDING, TEXTS, TWELVE } from '../harness/twelve.ts';

interface Plan {
  readonly start: readonly { readonly task: string }[];
  readonly waiting: readonly { readonly task: string; readonly kind: string }[];
}

/** What is planned for so many at once, in the words that no file name is part of. */
export const planned = (stdout: string): readonly (readonly string[])[] => {
  const { start, waiting } = JSON.parse(stdout) as Plan;
  return [start.map(({ task }) => task), waiting.map(({ task, kind }) => `${task} ${kind}`)];
};

const pairs = (ids: readonly string[]): readonly (readonly [string, string])[] =>
  ids.flatMap((a, at) => ids.slice(at + 1).map((b): readonly [string, string] => [a, b]));

describe('acceptance 1, B3.1 B3.6: twelve tasks', () => {
  const plans = new Map<string, unknown>();

  it.each(Object.entries(TEXTS))('in %s', async (name, text) => {
    const one = scratch();
    project(one, { tasks: { [name]: text }, agent: HONEST });
    const before = one.git('rev-parse', 'HEAD');
    const print = fingerprint(one.repo);
    const dry = await ralph(one, ['orchestrate', '--epic', EPIC, '--dry-run', '--json']);
    const single = await ralph(one, ['run', '--dry-run', '--json']);
    expect([dry.code, fingerprint(one.repo)]).toEqual([0, print]);
    plans.set(name, [planned(dry.stdout), planned(single.stdout)]);

    const { code, stdout, stderr } = await ralph(one, ['orchestrate', '--epic', EPIC, '--events']);
    expect(code, stderr).toBe(0);
    const events = parseEvents(stdout);
    expect(claimedTasks(events).toSorted()).toEqual(LANDING.toSorted());
    for (const group of ['auth', 'ui'])
      for (const [a, b] of pairs(TWELVE.filter((task) => task.group === group).map(({ id }) => id)))
        expect(isOverlapping(events, a, b), `${a} and ${b} of ${group}`).toBe(false);
    for (const { id, deps } of TWELVE.filter((task) => LANDING.includes(task.id)))
      for (const dep of deps)
        expect(spanOf(events, dep).from, `${dep} before ${id}`).toBeLessThan(spanOf(events, id).from);
    for (const id of LANDING) expect(one.git('show', `main:${id}.txt`)).toBe(`made by ${id}`);

    const isGraph = name === 'task-graph.yaml';
    const [added, removed] = one.git('diff', '--numstat', before, 'main', '--', name).split('\t');
    expect([added, removed].map(Number), 'one line for each, and one for counters').toEqual(
      Array(2).fill(LANDING.length + (isGraph ? 1 : 0)),
    );
    const { tasks } = JSON.parse((await ralph(one, ['tasks', 'list', '--json'])).stdout) as {
      readonly tasks: readonly { readonly id: string; readonly state: string }[];
    };
    expect(tasks.filter(({ state }) => state === 'landed').map(({ id }) => id)).toEqual(LANDING);
    if (isGraph) expect(one.git('show', `main:${name}`)).toContain('pending: 1, complete: 10, blocked: 1');
  });

  itWithBd('1.3.0')(
    'in Beads, with the real bd',
    async () => {
      const one = beadsProject('1.3.0', [
        { id: EPIC, type: 'epic', title: 'The shop' },
        ...TWELVE.map(({ id, deps, group, priority, isBlocked }) => ({
          id,
          deps,
          priority,
          parent: EPIC,
          labels: group === null ? [] : [`group:${group}`],
          ...(isBlocked ? { status: 'blocked' } : {}),
        })),
      ]);
      const dry = await ralph(one.place, ['orchestrate', '--epic', EPIC, '--dry-run', '--json']);
      const single = await ralph(one.place, ['run', '--dry-run', '--json']);
      plans.set('Beads', [planned(dry.stdout), planned(single.stdout)]);
      const { code, stdout, stderr } = await ralph(one.place, ['orchestrate', '--epic', EPIC, '--events']);
      expect(code, stderr).toBe(0);
      expect(claimedTasks(parseEvents(stdout)).toSorted()).toEqual(LANDING.toSorted());
      for (const id of LANDING) expect(one.place.git('show', `main:${id}.txt`)).toBe(`made by ${id}`);
      const closed = one.all().filter(({ status }) => status === 'closed');
      expect(closed.map(({ id }) => id).toSorted()).toEqual(LANDING.toSorted());
    },
    900_000,
  );

  it('in issues of GitHub', async () => {
    const { forge, run, place } = await issuesProject({ labels: ['ready'] });
    const epic = forge.issue('The shop', { labels: ['epic'] });
    const numbers = new Map<string, string>();
    for (const { id, deps, group, priority, isBlocked } of TWELVE) {
      const needs = deps.map((dep) => `#${numbers.get(dep) ?? ''}`);
      const number = forge.issue(`Make ${id}`, {
        body: needs.length === 0 ? '' : `Depends on ${needs.join(' and ')}.`,
        labels: [
          'ready',
          `P${priority}`,
          ...(group === null ? [] : [`group:${group}`]),
          ...(isBlocked ? ['blocked'] : []),
        ],
        parent: epic,
      });
      numbers.set(id, String(number));
    }
    const named = new Map([...numbers].map(([id, number]) => [number, id]));
    const nameOf = (said: string): string => said.replace(/^\d+/, (number) => named.get(number) ?? number);
    const inWords = (stdout: string) => planned(stdout).map((list) => list.map(nameOf));
    const dry = await run(['orchestrate', '--epic', String(epic), '--dry-run', '--json']);
    const single = await run(['run', '--dry-run', '--json']);
    expect({ code: dry.code, err: dry.stderr }).toMatchObject({ code: 0 });
    plans.set('GitHub', [inWords(dry.stdout), inWords(single.stdout)]);
    expect(forge.log.filter(({ line }) => !line.startsWith('GET'))).toEqual([]);

    const { code, stdout, stderr } = await run(['orchestrate', '--epic', String(epic), '--events']);
    expect(code, stderr).toBe(0);
    expect(claimedTasks(parseEvents(stdout)).map(nameOf).toSorted()).toEqual(LANDING.toSorted());
    for (const id of LANDING) {
      const number = numbers.get(id) ?? '';
      expect(place.git('show', `main:${number}.txt`)).toBe(`made by ${number}`);
    }
    const closed = forge.issues.filter(({ state }) => state === 'closed');
    expect(closed.map(({ number }) => nameOf(String(number))).toSorted()).toEqual(LANDING.toSorted());
    expect(forge.issues.flatMap(({ labels }) => labels)).not.toContain('in-progress');
    expect(Math.max(...forge.issues.map(({ comments }) => comments.length))).toBe(1);
  }, 600_000);

  it('is the same schedule in each', () => {
    expect(plans.size).toBeGreaterThanOrEqual(Object.keys(TEXTS).length);
    const [first, ...others] = [...plans.values()];
    for (const other of others) expect(other).toEqual(first);
  });
});

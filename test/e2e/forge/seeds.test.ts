import { expect, it } from 'vitest';
import { itWithGitea } from '../../forge/gitea.ts';
import { until } from '../harness/until.ts';
import { commitOf, describeEither } from './either-project.ts';
import type { EitherProject } from './either-project.ts';

interface Listed {
  readonly number: number;
  readonly task: string;
  readonly state: string;
  readonly stuck: string | null;
  readonly waits: string;
  readonly commit: string | null;
}

async function listed({ run }: EitherProject): Promise<readonly Listed[]> {
  const { stdout } = await run(['pr', 'list', '--all', '--json']);
  return (JSON.parse(stdout) as { readonly pulls: readonly Listed[] }).pulls;
}

describeEither('what earlier mergers did wrong', (make, kind) => {
  const itHere = kind === 'gitea' ? itWithGitea : it;

  itHere('D3.1, 3: dry runs of the merger change nothing, here or there', async () => {
    const one = await make({ tasks: ['a', 'b'] });
    const { forge, place, run, head } = one;
    await run(['run']);
    await forge.setCheck(await head(1), 'success');
    await run(['pr', 'sync']);
    const picture = async (): Promise<string> =>
      JSON.stringify([
        await forge.pulls(),
        place.git('for-each-ref'),
        place.git('-C', forge.bare, 'for-each-ref'),
        place.git('status', '--porcelain', '--ignored'),
        place.git('worktree', 'list', '--porcelain'),
      ]);
    const before = await picture();
    for (let time = 0; time < 5; time += 1) {
      const dry = await run(['merger', '--dry-run']);
      expect({ code: dry.code, err: dry.stderr }).toMatchObject({ code: 0 });
    }
    expect(await picture()).toBe(before);
  });

  itHere('D3.5, 28: only what is green, fits, and is approved at this very head is merged', async () => {
    const tasks = ['fine', 'red', 'pending', 'none', 'unfit', 'unread', 'changes', 'stale'];
    const one = await make({ tasks, config: { forge: { review: 'agent' }, parallel: { max_workers: 4 } } });
    const { forge, place, run } = one;
    expect((await run(['run'])).code).toBe(0);
    const numbers = new Map((await listed(one)).map(({ task, number }) => [task, number]));
    const of = (task: string): number => numbers.get(task) ?? 0;
    const heads = new Map((await forge.pulls()).map(({ number, head, branch }) => [number, { head, branch }]));
    for (const task of tasks) {
      const { head = '', branch = '' } = heads.get(of(task)) ?? {};
      if (task === 'red') await forge.setCheck(head, 'failure');
      else if (task === 'pending') await forge.setCheck(head, 'pending');
      else if (task !== 'none') await forge.setCheck(head, 'success');
      if (task !== 'unread' && task !== 'changes') await forge.review(of(task), 'APPROVED');
      if (task === 'changes') await forge.review(of(task), 'CHANGES_REQUESTED', 'not like this');
      if (task !== 'stale') continue;
      place.git('fetch', '-q', forge.bare, branch);
      const later = place.git('commit-tree', 'FETCH_HEAD^{tree}', '-p', 'FETCH_HEAD', '-m', 'One more thing');
      await forge.push(later, branch);
      await forge.setCheck(later, 'success');
    }
    await forge.push(commitOf(place, 'unfit.txt', 'of another\n'), 'main');
    await until('what may be merged to be', async () => {
      const ran = await run(['merger']);
      expect([0, 1], ran.stderr).toContain(ran.code);
      return (await forge.pulls()).some(({ merged }) => merged !== null);
    });
    await run(['merger']);
    const merged = (await forge.pulls()).filter((pull) => pull.merged !== null).map(({ number }) => number);
    expect(merged).toEqual([of('fine')]);
    const waits = new Map((await listed(one)).map((pull) => [pull.task, pull.waits]));
    expect(waits.get('red')).toContain('red');
    expect(waits.get('pending')).toBe('its checks are pending');
    expect(waits.get('none')).toContain('it has no check yet');
    expect(waits.get('unfit')).toContain('does not merge with main');
    for (const task of ['unread', 'stale']) expect(waits.get(task)).toContain('approve');
  });

  itHere('29: merged by hand it has landed, closed by hand or without its branch it needs a person', async () => {
    const one = await make({ tasks: ['merged', 'closed', 'gone'] });
    const { forge, run } = one;
    await run(['run']);
    const of = new Map((await listed(one)).map(({ task, number }) => [task, number]));
    await forge.mergeByHand(of.get('merged') ?? 0);
    await forge.close(of.get('closed') ?? 0);
    const gone = (await forge.pulls()).find(({ number }) => number === of.get('gone'));
    await forge.removeBranch(gone?.branch ?? '');
    await until('all of it to be seen', async () => {
      await run(['pr', 'sync']);
      const states = (await listed(one)).map(({ task, state }) => `${task} ${state}`).sort();
      return states.join() === 'closed closed,gone closed,merged merged';
    });
    await run(['run']);
    expect(await forge.pulls()).toHaveLength(3);
  });

  itHere('30: green alone and red together: the second goes back', async () => {
    const one = await make({
      tasks: ['a', 'b'],
      config: { gates: { commands: ['test ! -e a.txt -o ! -e b.txt'] }, forge: { checks: 'none' } },
    });
    const { forge, run } = one;
    await run(['run']);
    await until('one to be merged and the other sent back', async () => {
      const ran = await run(['merger']);
      expect([0, 1], ran.stderr).toContain(ran.code);
      const states = (await listed(one)).map(({ state }) => state).sort();
      return states.join() === 'merged,working';
    });
    expect((await forge.pulls()).filter(({ merged }) => merged !== null)).toHaveLength(1);
    expect((await listed(one)).find(({ state }) => state === 'working')?.waits).toContain('once merged with main');
  });

  itHere('without a token it ends with 4 and says where one is looked for', async () => {
    const { run } = await make({ tasks: ['a'] });
    const ran = await run(['merger'], { env: { GH_TOKEN: undefined, GITEA_TOKEN: undefined } });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(kind === 'gitea' ? 'GITEA_TOKEN' : 'GH_TOKEN');
  });

  for (const target of ['master', 'trunk'])
    itHere(`31: where the default branch is ${target}, it goes there`, async () => {
      const one = await make({ tasks: ['a'], config: { forge: { checks: 'none' } } }, target);
      const { forge, run } = one;
      await run(['run']);
      expect((await forge.pulls()).map((pull) => pull.target)).toEqual([target]);
      const merged = await until('it to be merged', async () => {
        const ran = await run(['merger']);
        expect({ code: ran.code, err: ran.stderr }).toMatchObject({ code: 0 });
        return (await forge.pulls())[0]?.merged;
      });
      expect(forge.tip(target)).toBe(merged);
    });
});

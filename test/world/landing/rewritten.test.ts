import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { readIdentity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { openIntegration } from '../../../src/world/landing/integration.ts';
import type { Integration, Synced } from '../../../src/world/contract/world.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

interface Scene extends ScratchRepo {
  readonly integration: Integration;
  sync(): Promise<Synced>;
  /** Lands a file on integration alone; the target does not follow. */
  land(path: string): Promise<Sha>;
  int(): Sha;
  main(): Sha;
}

async function scene(): Promise<Scene> {
  const scratch = scratchRepo({ files: { 'README.md': 'one\ntwo\nthree\n', 'tasks.md': '- [ ] a\n' } });
  made.push(scratch);
  const repo = findRepository(scratch.dir);
  const view = await openView(repo);
  const integration = openIntegration({
    repo,
    view,
    identity: await readIdentity(repo),
    target: 'main',
    tracker: {
      path: 'tasks.md',
      look: () => Promise.resolve(null),
      tick: async (text) => text,
      close: () => Promise.resolve(false),
    },
    merge: { union: [], regenerate: {} },
    regenerate: async () => null,
  });
  const head = (ref: string): Sha => sha(scratch.git('rev-parse', ref));
  const known = (): Sha | null => {
    const text = scratch.git('for-each-ref', '--format=%(objectname)', 'refs/paralph/int/main');
    return text === '' ? null : sha(text);
  };
  const sync = (): Promise<Synced> => integration.sync({ head: known(), granted: [] });
  const land = async (path: string): Promise<Sha> => {
    const { head: base } = await sync();
    scratch.git('checkout', '-q', '-b', `work-${path}`, base);
    scratch.write(path, 'work\n');
    const work = sha(scratch.commit(path));
    scratch.git('checkout', '-q', 'main');
    const built = await integration.build({
      base,
      head: work,
      under: base,
      message: 'm\n',
      method: 'merge',
      tick: null,
    });
    if ('conflicts' in built) throw new Error(built.conflicts.join());
    await integration.holdTrain(1, [built.commit]);
    await integration.advance({ from: base, to: built.commit, fence: 1 });
    return built.commit;
  };
  const int = (): Sha => head('refs/paralph/int/main');
  return { ...scratch, integration, sync, land, int, main: () => head('main') };
}

async function mergeUpstream({ integration, sync }: Scene): Promise<{ readonly commit: Sha; readonly tree: Sha }> {
  const { head: base, upstream, since = null } = await sync();
  if (upstream === null) throw new Error('nothing to merge');
  const built = await integration.build({
    base,
    head: upstream,
    since,
    under: base,
    message: 'm\n',
    method: 'merge',
    tick: null,
  });
  if ('conflicts' in built) throw new Error(`conflicts in ${built.conflicts.join()}`);
  return built;
}

describe('a target whose owner rewrites it', () => {
  it('amended while something landed: the amendment counts, and nothing comes back', async () => {
    const all = await scene();
    all.write('README.md', 'one\nsecret\nthree\n');
    all.write('secret.txt', 'x');
    const before = all.commit('with a secret');
    await all.sync();
    const landed = await all.land('work.txt');
    rmSync(join(all.dir, 'secret.txt'));
    all.write('README.md', 'one\nTWO\nthree\n');
    all.git('add', '-A');
    all.git('commit', '-q', '--amend', '-m', 'without');
    const amended = all.main();
    expect(await all.sync()).toMatchObject({ head: landed, upstream: amended, since: before, isUsers: false });
    const { commit } = await mergeUpstream(all);
    expect(all.git('ls-tree', '--name-only', commit).split('\n')).toEqual(['README.md', 'tasks.md', 'work.txt']);
    expect(all.git('show', `${commit}:README.md`)).toBe('one\nTWO\nthree');
    expect(all.git('show', '-s', '--format=%P', commit)).toBe(`${landed} ${amended}`);
  });

  it('plain new commits are merged as they are', async () => {
    const all = await scene();
    const landed = await all.land('work.txt');
    all.write('mine.txt', 'm');
    const mine = sha(all.commit('mine'));
    expect(await all.sync()).toMatchObject({ head: landed, upstream: mine, since: null, isUsers: false });
  });

  it('rewritten after everything was published: integration follows, and the old value is kept', async () => {
    const all = await scene();
    const landed = await all.land('work.txt');
    all.git('merge', '-q', '--ff-only', landed);
    all.git('reset', '-q', '--hard', 'HEAD~1');
    all.write('other.txt', 'o');
    const other = sha(all.commit('something else'));
    expect(await all.sync()).toEqual({ head: other, upstream: null, isUsers: true });
    expect(all.int()).toBe(other);
    expect(all.git('for-each-ref', '--format=%(objectname)', 'refs/paralph/keep/taken-back')).toBe(landed);
  });

  it('what was published and taken back does not return with what landed later', async () => {
    const all = await scene();
    const first = await all.land('first.txt');
    all.git('merge', '-q', '--ff-only', first);
    await all.land('second.txt');
    all.git('reset', '-q', '--hard', 'HEAD~1');
    all.write('other.txt', 'o');
    all.commit('something else');
    const { commit } = await mergeUpstream(all);
    const files = all.git('ls-tree', '--name-only', commit).split('\n');
    expect(files).toEqual(['README.md', 'other.txt', 'second.txt', 'tasks.md']);
  });

  it('without a reflog it is merged like any other', async () => {
    const all = await scene();
    all.write('x.txt', 'x');
    all.commit('x');
    await all.sync();
    const landed = await all.land('work.txt');
    all.git('commit', '-q', '--amend', '-m', 'other words');
    rmSync(join(all.dir, '.git/logs'), { recursive: true });
    expect(await all.sync()).toMatchObject({ head: landed, upstream: all.main(), since: null });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { knownAhead, lookAhead } from '../../../src/world/landing/ahead.ts';
import { coAuthorsOf, commitsWithin } from '../../../src/world/git/objects/history.ts';
import { mergeBases } from '../../../src/world/git/merge/merge.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

function repository(): ScratchRepo & { branch(name: string, from: string, message?: string): Sha } {
  const scratch = scratchRepo();
  made.push(scratch);
  return {
    ...scratch,
    branch: (name, from, message = name) => {
      scratch.git('checkout', '-q', '-B', name, from);
      scratch.write(`${name}.txt`, name);
      return sha(scratch.commit(message));
    },
  };
}

describe('looking at many branches at once', () => {
  it('says what asking one by one says', async () => {
    const one = repository();
    const start = sha(one.git('rev-parse', 'HEAD'));
    const a = one.branch('a', start, 'a\n\nCo-authored-by: Pat <pat@example.test>');
    const b = one.branch('b', start);
    const onA = one.branch('c', a, 'c\n\nco-authored-by: Kim <kim@example.test>');
    const base = one.branch('main', start);
    one.git('checkout', '-q', '-B', 'd', b);
    one.git('merge', '-q', '--no-ff', '-m', 'both', a);
    const both = sha(one.git('rev-parse', 'HEAD'));
    one.git('checkout', '-q', '--orphan', 'e');
    const lonely = sha(one.commit('unrelated'));
    const view = await openView(findRepository(one.dir));
    const heads = [a, b, onA, both, start, lonely];
    await lookAhead(view, base, heads);
    for (const head of heads) {
      const ahead = knownAhead(view, base, head);
      const within = await commitsWithin(view, { from: base, to: head }, heads);
      expect(heads.filter((other) => ahead?.commits.has(other))).toEqual(within);
      expect(ahead?.coAuthors).toEqual(await coAuthorsOf(view, base, head));
      const bases = await mergeBases(view, base, head);
      if (ahead?.fork !== null) expect([ahead?.fork]).toEqual(bases);
    }
    expect(knownAhead(view, base, lonely)?.fork).toBeNull();
    expect(heads.filter((head) => knownAhead(view, base, head)?.isAlone)).toEqual([start, lonely]);
    expect(knownAhead(view, start, a)).toBeUndefined();
  });

  it('knows a branch alone from one that shares a commit', async () => {
    const one = repository();
    const start = sha(one.git('rev-parse', 'HEAD'));
    const [a, b] = [one.branch('a', start), one.branch('b', start)];
    const view = await openView(findRepository(one.dir));
    await lookAhead(view, start, [a, b]);
    expect([a, b].map((head) => knownAhead(view, start, head)?.isAlone)).toEqual([true, true]);
    expect(knownAhead(view, start, a)?.fork).toBe(start);
    // Asked about later, together with what is known: it holds a commit of one of them.
    const onA = one.branch('c', a);
    await lookAhead(view, start, [a, b, onA]);
    expect([a, b, onA].map((head) => knownAhead(view, start, head)?.isAlone)).toEqual([false, true, false]);
  });
});

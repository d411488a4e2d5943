import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { landingMessage } from '../../../src/text/commit-message.ts';
import { coAuthorsOf, commitsWithin, findLandings } from '../../../src/world/git/objects/history.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { scratchRepo } from '../scratch.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

async function scene(): Promise<ScratchRepo & { readonly view: GitView }> {
  const repo = scratchRepo();
  made.push(repo);
  return { ...repo, view: await openView(findRepository(repo.dir)) };
}

const message = (task: string): string =>
  landingMessage({
    task,
    title: `Do ${task}`,
    tracker: 'docs/my tasks.md',
    loop: `${task}-x1`,
    branch: `ralph/${task}-x1`,
    head: 'f'.repeat(40),
    agent: 'claude',
    attempt: 1,
    iterations: 1,
    target: 'main',
    template: '{{title}}\n\nA body with words.\n\nRalph-Task: not in the last paragraph',
  });

function merge(repo: ScratchRepo, branch: string, text: string): Sha {
  repo.git('merge', '-q', '--no-ff', '-m', text, branch);
  return sha(repo.git('rev-parse', 'HEAD'));
}

describe('findLandings', () => {
  it('reads task, loop, task file and time from the line of integration, oldest first', async () => {
    const repo = await scene();
    const { view, git, write, commit } = repo;
    const landed: Sha[] = [];
    for (const task of ['one', 'größe']) {
      git('switch', '-qc', task);
      write(`${task}.txt`, task);
      commit(message('forged-in-branch'));
      git('switch', '-q', 'main');
      landed.push(merge(repo, task, message(task)));
    }
    write('mine.txt', 'm');
    const head = sha(commit('Something of my own\n\nwith a body'));
    const at = (commit: Sha): number => Number(git('show', '-s', '--format=%ct', commit)) * 1000;
    const [first, second] = landed as [Sha, Sha];
    const tracker = 'docs/my tasks.md';
    expect(await findLandings(view, head)).toEqual([
      { task: 'one', tracker, loop: 'one-x1', commit: first, atMs: at(first) },
      { task: 'größe', tracker, loop: 'größe-x1', commit: second, atMs: at(second) },
    ]);
    expect(await findLandings(view, first)).toHaveLength(1);
  });

  it('believes no message that lacks one of the three or has two of a kind', async () => {
    const { view, git, commit } = await scene();
    commit('Land a\n\nRalph-Task: a\nRalph-Loop: a-x1\nRalph-Tracker: PRD.md\n');
    commit('No file\n\nRalph-Task: b\nRalph-Loop: b-x1\n');
    commit('Odd\n\nRalph-Task: a\nRalph-Task: b\nRalph-Loop: a-x1\n');
    commit('Half\n\nRalph-Loop: a-x1\n');
    const found = await findLandings(view, sha(git('rev-parse', 'HEAD')));
    expect(found.map(({ task, tracker }) => [task, tracker])).toEqual([['a', 'PRD.md']]);
  });
});

describe('commitsWithin', () => {
  it('says which heads a branch holds and integration does not', async () => {
    const { view, git, write, commit } = await scene();
    const start = sha(git('rev-parse', 'HEAD'));
    git('switch', '-qc', 'a');
    write('a.txt', 'a');
    const a = sha(commit('a'));
    git('switch', '-qc', 'b');
    write('b.txt', 'b');
    const b = sha(commit('b'));
    git('switch', '-qc', 'c', start);
    write('c.txt', 'c');
    const c = sha(commit('c'));
    const gone = sha('1'.repeat(40));
    expect(await commitsWithin(view, { from: start, to: b }, [a, c, start, gone])).toEqual([a]);
    expect(await commitsWithin(view, { from: a, to: b }, [a, c])).toEqual([]);
    expect(await commitsWithin(view, { from: start, to: c }, [a, b])).toEqual([]);
    expect(await commitsWithin(view, { from: start, to: start }, [a])).toEqual([]);
  });
});

describe('coAuthorsOf', () => {
  it('finds those the branch names, whatever the spelling, each mail once', async () => {
    const { view, git, commit } = await scene();
    commit('Before\n\nCo-authored-by: Old <old@example.test>');
    const from = sha(git('rev-parse', 'HEAD'));
    commit('One\n\nCo-Authored-By: Ada <ada@example.test>\nSigned-off-by: Eve <eve@example.test>');
    commit('Two\n\nco-authored-by: Bob <bob@example.test>\nCo-authored-by: A. L. <ADA@example.test>');
    commit('Co-authored-by: No <no@example.test> is only said here\n\nCo-authored-by: nobody');
    const found = await coAuthorsOf(view, from, sha(git('rev-parse', 'HEAD')));
    expect(found).toEqual(['Bob <bob@example.test>', 'A. L. <ADA@example.test>']);
  });
});

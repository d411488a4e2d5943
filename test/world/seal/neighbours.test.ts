import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Breach } from '../../../src/core/model/model.ts';
import { loopId, sha, taskId, taskKey } from '../../../src/core/model/ids.ts';
import { writeLoopNote } from '../../../src/world/worktrees/loop-notes.ts';
import { noteProgram } from '../../../src/world/agents/run/agent-file.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { gitIn } from '../scratch.ts';
import type { SealScene } from './scene.ts';
import { sealScene } from './scene.ts';

/** The agents of all loops are this one text, which knows its task. */
function run(scene: SealScene, text: string): Promise<Breach | null> {
  const { repo, iterate, iteration, own } = scene;
  return iterate(`RALPH_TASK_ID=one\n${text}`, () => {
    const { loop, n } = iteration();
    noteProgram(runFolder(repo, loop, n), ['sh', '-c', text], own);
  });
}

describe('files in the worktree of another loop, or of a person', () => {
  it('that the text of the agent writes there are kept and taken out; what git knows there stays', async () => {
    const scene = await sealScene();
    const { sibling, git, dir } = scene;
    const theirs = join(dir, '..', 'theirs');
    git('worktree', 'add', '-q', '-b', 'theirs', theirs);
    const text = `if [ "$RALPH_TASK_ID" = one ]; then
      for d in ../*/; do echo leak > $d/leak.txt; done
      echo more >> ../wt-2/two.txt; cd ${theirs} && echo mine > new.txt
    fi`;
    const breach = await run(scene, text);
    expect(breach?.did.toSorted()).toEqual([
      `wrote leak.txt in the worktree ${sibling}`,
      `wrote new.txt in the worktree ${theirs}`,
      `wrote two.txt in the worktree ${sibling}`,
    ]);
    expect(breach?.restored.toSorted()).toEqual([
      `leak.txt taken out of the worktree ${sibling}`,
      `new.txt taken out of the worktree ${theirs}`,
    ]);
    expect([join(sibling, 'leak.txt'), join(theirs, 'new.txt')].some((file) => existsSync(file))).toBe(false);
    expect(readFileSync(join(sibling, 'two.txt'), 'utf8')).toBe('two\nmore\n');
    expect(git('show', `${breach?.kept[0]}:worktree/leak.txt`)).toBe('leak');
  });

  it('that its output says it wrote are its own', async () => {
    const scene = await sealScene();
    const { sibling, iterate } = scene;
    const breach = await iterate(`echo said > ${sibling}/said.txt; echo "wrote ${sibling}/said.txt"`);
    expect(breach?.did).toEqual([`wrote said.txt in the worktree ${sibling}`]);
    expect(breach?.restored).toEqual([`said.txt taken out of the worktree ${sibling}`]);
  });

  it('stay where the agent there speaks of the same file', async () => {
    const scene = await sealScene();
    const { sibling, iterate, repo, git } = scene;
    const note = { loop: loopId('two-y'), task: taskKey('PRD.md', taskId('two')), title: 'two', attempt: 1 };
    writeLoopNote(repo, sibling, { ...note, branch: 'ralph/two', base: sha(git('rev-parse', 'main')) });
    const theirs = runFolder(repo, note.loop, 1);
    mkdirSync(theirs, { recursive: true });
    writeFileSync(join(theirs, 'stdout.log'), 'I go on with said.txt\n');
    const breach = await iterate(`echo said > ${sibling}/said.txt; echo "wrote ${sibling}/said.txt"`);
    expect(breach?.did).toEqual([`wrote said.txt in the worktree ${sibling}`]);
    expect([breach?.restored, existsSync(join(sibling, 'said.txt'))]).toEqual([[], true]);
  });

  it('that the agent there may have written by the same text, in its own worktree, are nobody’s offence', async () => {
    const scene = await sealScene();
    const { sibling, repo, git } = scene;
    const base = sha(git('rev-parse', 'main'));
    const note = { loop: loopId('two-y'), task: taskKey('PRD.md', taskId('two')), title: 'two', attempt: 1 };
    writeLoopNote(repo, sibling, { ...note, branch: 'ralph/two', base });
    // Its agent lives.
    const theirs = runFolder(repo, note.loop, 1);
    mkdirSync(theirs, { recursive: true });
    writeFileSync(join(theirs, 'start.json'), '{}');
    const text = `here=$(pwd); echo y > $here/y.txt; case $RALPH_TASK_ID in one|two) echo x > $here/x.txt;; esac`;
    const breach = await run(scene, `${text}; cp x.txt y.txt ../wt-2`);
    expect(breach).toBe(null);
  });

  it('that git itself wrote there, when the worktree was made or went on, are nobody’s; what was written over them is told', async () => {
    const scene = await sealScene();
    const { sibling, git, iterate, iteration, repo, own } = scene;
    const text = '[ "$RALPH_TASK_ID" = one ] && echo leak >> $dir/a.txt';
    const during = (act: () => void): Promise<Breach | null> =>
      iterate(':', () => {
        act();
        const dir = runFolder(repo, iteration().loop, iteration().n);
        noteProgram(dir, ['sh', '-c', text], own);
        writeFileSync(join(dir, 'exit'), '0\n');
      });
    const fresh = join(sibling, '../wt-3');
    expect(await during(() => void git('worktree', 'add', '-q', '-b', 'ralph/three', fresh))).toBeNull();
    writeFileSync(join(fresh, 'a.txt'), 'other\n');
    gitIn(fresh, 'commit', '-qam', 'other');
    git('worktree', 'remove', fresh);
    expect(await during(() => void gitIn(sibling, 'reset', '-q', '--hard', 'ralph/three'))).toBeNull();
    const committed = await during(() => {
      appendFileSync(join(sibling, 'a.txt'), 'leak\n');
      gitIn(sibling, 'commit', '-qam', 'with the leak in it');
    });
    expect(committed?.did).toEqual([`wrote a.txt in the worktree ${sibling}`]);
  });
});

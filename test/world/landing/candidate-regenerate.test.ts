import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { taskId } from '../../../src/core/model/ids.ts';
import { TASKS, built, candidateScene, order } from './candidate-scene.ts';
import type { Files, Scene, SceneOptions } from './candidate-scene.ts';

const made: Scene[] = [];
afterEach(() => {
  for (const scene of made.splice(0)) scene.remove();
});

const LOCK = 'app/the lock';
const LOCK_COMMAND = "cat parts/* | sort > 'app/the lock'";

/** The lock file lists what is in `parts/`, so two branches that add a part each cannot merge it. */
async function scene(command = LOCK_COMMAND, options: SceneOptions = {}): Promise<Scene> {
  const merge = { regenerate: { [LOCK]: command } };
  const one = await candidateScene({ 'parts/m': 'm\n', [LOCK]: 'm\n' }, { merge, ...options });
  made.push(one);
  return one;
}

const withPart = (part: string, lines: readonly string[]): Files => ({
  [`parts/${part}`]: `${part}\n`,
  [LOCK]: lines.map((line) => `${line}\n`).join(''),
});

describe('files that a command makes anew', () => {
  it('are made of what both sides brought', async () => {
    const { candidates, branch, show, git } = await scene();
    const base = branch('n', withPart('n', ['m', 'n']));
    const landing = built(await candidates.build(order(base, branch('o', withPart('o', ['m', 'o'])))));
    expect(show(landing.commit, LOCK)).toBe('m\nn\no\n');
    expect(landing.resolved).toEqual([LOCK]);
    expect(git('rev-parse', `${landing.commit}^{tree}`)).toBe(landing.tree);
    expect(git('diff', '--name-only', base, landing.commit)).toBe(`${LOCK}\nparts/o`);
  });

  it('are all that the command changes, and it sees the base side and the ticked tracker', async () => {
    const { candidates, branch, show, git } = await scene(
      `cp '${LOCK}' seen; cat seen ${TASKS} > '${LOCK}'; echo junk > parts/m; echo junk > more; rm -f ${TASKS}`,
    );
    const base = branch('n', withPart('n', ['m', 'n']));
    const head = branch('o', withPart('o', ['m', 'o']));
    const landing = built(await candidates.build(order(base, head, { tick: taskId('two') })));
    expect(show(landing.commit, LOCK)).toBe('m\nn\n- [ ] one\n- [x] two\n- [ ] three\n');
    expect(git('diff', '--name-only', base, landing.commit)).toBe(`${LOCK}\nparts/o\n${TASKS}`);
    expect(show(landing.commit, 'parts/m')).toBe('m\n');
  });

  it('stay in conflict when the command fails, takes too long or leaves no plain file', async () => {
    for (const [command, timeoutMs] of [
      ['exit 3', 60_000],
      ['sleep 600', 200],
      [`rm '${LOCK}'`, 60_000],
      [`rm '${LOCK}' && mkdir '${LOCK}'`, 60_000],
      [`ln -sf ../parts/m '${LOCK}'`, 60_000],
      [`rm -r app && ln -s parts app && echo x > 'parts/the lock'`, 60_000],
    ] as const) {
      const { candidates, branch } = await scene(command, { timeoutMs });
      const [base, head] = [branch('n', withPart('n', ['m', 'n'])), branch('o', withPart('o', ['m', 'o']))];
      expect(await candidates.build(order(base, head)), command).toEqual({ conflicts: [LOCK] });
    }
  });

  it('do not cost a command when something else is in conflict anyway, or when they merge by themselves', async () => {
    const { candidates, branch, dir } = await scene(`touch '../ran'; ${LOCK_COMMAND}`);
    const ran = join(dir, '..', 'ran');
    const base = branch('n', { ...withPart('n', ['m', 'n']), 'parts/m': 'left\n' });
    const head = branch('o', { ...withPart('o', ['m', 'o']), 'parts/m': 'right\n' });
    expect(await candidates.build(order(base, head))).toEqual({ conflicts: ['parts/m'] });
    built(await candidates.build(order(base, branch('p', { 'parts/p': 'p\n' }))));
    expect(existsSync(ran)).toBe(false);
    built(await candidates.build(order(base, branch('q', withPart('q', ['m', 'q'])))));
    expect(existsSync(ran)).toBe(true);
  });

  it('come out the same when the candidate is built again, whatever the command would say now', async () => {
    const { candidates, branch } = await scene(`date +%s%N > '${LOCK}'`);
    const [base, head] = [branch('n', withPart('n', ['m', 'n'])), branch('o', withPart('o', ['m', 'o']))];
    const first = built(await candidates.build(order(base, head)));
    const again = built(await candidates.build(order(base, head, { method: 'squash' })));
    expect(again.tree).toBe(first.tree);
  });

  it('are stored as the project stores its text', async () => {
    const merge = { regenerate: { 'crlf.lock': `printf 'made\\r\\nanew\\r\\n' > crlf.lock` } };
    const one = await candidateScene({ '.gitattributes': '*.lock text eol=crlf\n', 'crlf.lock': 'a\n' }, { merge });
    made.push(one);
    const [base, head] = [one.branch('l', { 'crlf.lock': 'l\n' }), one.branch('r', { 'crlf.lock': 'r\n' })];
    const landing = built(await one.candidates.build(order(base, head)));
    expect(one.show(landing.commit, 'crlf.lock')).toBe('made\nanew\n');
  });
});

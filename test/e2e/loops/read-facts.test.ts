import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Event } from '../../../src/core/model/events.ts';
import { hostId, loopId, sha } from '../../../src/core/model/ids.ts';
import type { LoopRow } from '../../../src/core/views/loops-view.ts';
import type { Place, ProcessMark } from '../../../src/core/model/model.ts';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import { ownIdentity } from '../../../src/world/processes/identity.ts';
import { itNeeds, itOn } from '../../needs.ts';
import { key, POLICY, task, TRACKER } from '../../sim/tale.ts';
import type { Result } from '../harness/ralph.ts';
import { listOf } from '../harness/answers.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
const itTerminal = process.platform === 'linux' ? itNeeds('script of util-linux', hasScript) : itOn('linux');

const ON_TERMINAL = ['sh', '-c', `exec script -qec "$(printf '%s ' "$@")" /dev/null`, 'sh'];

interface Told {
  readonly place?: Place;
  readonly mark?: ProcessMark;
  readonly holds?: boolean;
}

/** A loop as a log tells it, on a branch that a person made: nothing has to run for that. */
async function tellLoop(one: Scratch, name: string, base: string, told: Told = {}): Promise<void> {
  const log = await openFileLog<Event>(join(one.repo, '.git/paralph/log'), { anyFilesystem: true });
  const seq = (await log.read(0)).length;
  const [loop, host, branch] = [loopId(`${name}-1`), hostId(`h-${name}`), `ralph/${name}`];
  const [head, at] = [sha(one.git('rev-parse', branch)), sha(one.git('rev-parse', base))];
  const tree = (commit: string) => sha(one.git('rev-parse', `${commit}^{tree}`));
  const { place = { at: 'worktree' }, mark = ownIdentity() } = told;
  const made = { path: beside(one, `wt-${name}`), base: at, baseTree: tree(at), head, tree: tree(head), reused: false };
  const facts: readonly Event[] = [
    { type: 'tasks-read', tracker: TRACKER, digest: name, tasks: [task(name)] },
    { type: 'host-joined', host, mark, policy: { ...POLICY, place } },
    { type: 'task-claimed', loop, task: key(name), host, slot: 1, branch, onto: [] },
    { type: 'worktree-made', loop, fence: seq + 1, ...made },
    ...(told.holds === true ? [] : [{ type: 'host-left', host } as const]),
  ];
  expect(await log.append(seq, host, Date.now(), facts)).toMatchObject({ ok: true });
}

/** A branch with one file of its own, made from a commit. */
function makeBranch(one: Scratch, name: string, from: string, text = `made by ${name}\n`): void {
  const now = one.git('rev-parse', '--abbrev-ref', 'HEAD');
  one.git('switch', '-q', '-c', `ralph/${name}`, from);
  one.put(`${name}.txt`, text);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', `Make ${name}`);
  one.git('switch', '-q', now);
}

const commitHere = (one: Scratch, file: string): void => {
  one.put(file, `${file}\n`);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', file);
};

describe('ralph loops', () => {
  it('scenario 36: a pid that another process has by now holds nothing', async () => {
    const one = scratch();
    makeBranch(one, 'mine', 'main');
    makeBranch(one, 'dead', 'main');
    await tellLoop(one, 'mine', 'main', { holds: true });
    await tellLoop(one, 'dead', 'main', { holds: true, mark: { ...ownIdentity(), startTime: '1' } });
    const { code, stdout } = await ralph(one, ['loops', '--json']);
    expect(code).toBe(0);
    const seen = (listOf(stdout, 'loops') as unknown as LoopRow[]).map(({ reason, pid, next }) => [reason, pid, next]);
    expect(seen).toEqual([
      ['iterating', process.pid, 'ralph loops logs mine-1 -f'],
      ['host-died', null, 'ralph loops resume dead-1'],
    ]);
  });

  it('scenario 16: an in-place loop has no worktree to attach to', async () => {
    const one = scratch();
    makeBranch(one, 'here', 'main');
    await tellLoop(one, 'here', 'main', { place: { at: 'checkout', path: one.repo, branch: null } });
    const { code, stdout, stderr } = await ralph(one, ['loops', 'attach', 'here']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/E_NO_WORKTREE.* no worktree of its own: it works in place/);
    expect(stderr).toContain(`fix: cd ${one.repo}`);
    expect((await ralph(one, ['loops'])).stdout).toMatch(/in-place/);
  });

  it('scenario 22: diff goes from where it left the target: master, or what origin/HEAD names', async () => {
    const one = scratch();
    one.git('branch', '-m', 'main', 'master');
    makeBranch(one, 'old', 'master');
    commitHere(one, 'later.txt');
    await tellLoop(one, 'old', 'master~1');
    const diff = async (name: string): Promise<string> => (await ralph(one, ['loops', 'diff', name])).stdout;
    expect(await diff('old')).toMatch(/\+made by old/);
    expect(await diff('old')).not.toContain('later.txt');
    // A clone whose usual branch is develop, with a main beside it that is far behind.
    one.git('branch', 'main', 'master~1');
    one.git('switch', '-q', '-c', 'develop');
    commitHere(one, 'develop.txt');
    makeBranch(one, 'new', 'develop');
    one.git('update-ref', 'refs/remotes/origin/develop', 'develop');
    one.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop');
    await tellLoop(one, 'new', 'develop');
    expect(await diff('new')).toMatch(/\+made by new/);
    expect(await diff('new')).not.toContain('develop.txt');
    const json = JSON.parse((await ralph(one, ['loops', 'diff', 'new', '--json'])).stdout) as object;
    expect(json).toMatchObject({ target: 'develop', base: one.git('rev-parse', 'develop'), from: 'branch' });
    one.git('switch', '-q', 'master');
  });

  itTerminal('diff has no size that is too large, and whoever has seen enough of it may close it', async () => {
    const one = scratch();
    const sizeMb = 70;
    makeBranch(one, 'large', 'main', `${'x'.repeat(1023)}\n`.repeat(sizeMb * 1024));
    await tellLoop(one, 'large', 'main');
    const through = async (end: string, words: readonly string[] = []): Promise<string> => {
      const prefix = ['sh', '-c', `{ "$@"; echo $? > ${beside(one, 'code')}; } | ${end}`, 'sh'];
      const { stdout, stderr } = await ralph(one, ['loops', 'diff', 'large', ...words], { prefix });
      expect([readFileSync(beside(one, 'code'), 'utf8'), stderr]).toEqual(['0\n', '']);
      return stdout.trim();
    };
    const all = Number(await through('wc -c'));
    expect(all).toBeGreaterThan(sizeMb * 1024 * 1024);
    expect(Number(await through('wc -c', ['--json']))).toBeGreaterThan(all);
    expect(await through('tail -c 40', ['--json'])).toMatch(/^x{30,}\\n"\n\}$/);
    expect(await through('head -c 10')).toBe('diff --git');
    const paged = await ralph(one, ['loops', 'diff', 'large'], {
      env: { TERM: 'xterm', NO_COLOR: '1', PAGER: `head -n 7 | tail -n 1 | cut -c 1-10` },
      prefix: ON_TERMINAL,
    });
    expect([paged.code, paged.stdout.trim()]).toEqual([0, '+xxxxxxxxx']);
  });

  itTerminal('diff runs nothing an agent planted, and the pager only on a terminal', async () => {
    const one = scratch();
    const [canary, paged] = [beside(one, 'canary'), beside(one, 'paged')];
    makeBranch(one, 'evil', 'main', '\u001b]0;owned\u0007plain\n');
    await tellLoop(one, 'evil', 'main');
    for (const name of ['core.pager', 'diff.external', 'diff.x.textconv', 'diff.x.command', 'pager.diff'])
      one.git('config', name, `touch ${canary}; cat`);
    writeFileSync(join(one.repo, '.git/info/attributes'), '* diff=x\n');
    const env = { GIT_EXTERNAL_DIFF: `touch ${canary}`, PAGER: `tee ${paged}` };
    const piped = await ralph(one, ['loops', 'diff', 'evil'], { env });
    expect(piped.stdout).toContain('+\u001b]0;owned\u0007plain\n');
    expect([existsSync(canary), existsSync(paged)]).toEqual([false, false]);
    const [shown, unpaged] = (await Promise.all(
      [env, { ...env, PAGER: '/no/such/pager' }].map((own) =>
        ralph(one, ['loops', 'diff', 'evil'], { env: { ...own, TERM: 'xterm' }, prefix: ON_TERMINAL }),
      ),
    )) as [Result, Result];
    expect([unpaged.code, unpaged.stdout]).toEqual([0, expect.stringContaining('\u001b[32m+plain\u001b[m')]);
    expect(shown.stdout).toContain('\u001b[32m+plain\u001b[m');
    expect(shown.stdout).not.toContain('owned');
    expect([existsSync(canary), existsSync(paged)]).toEqual([false, true]);
  });
});

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { processesOf } from '../harness/processes.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--json'];
/** Green until the task has done its work. */
const RED = 'test ! -e t1.txt';

function withGates(one: Scratch, commands: readonly string[]): void {
  project(one, { tasks: ['t1'], config: { gates: { commands }, limits: { iterations: 1 } } });
}

/** A folder for the PATH with what a run needs, and no bash. */
function withoutBash(one: Scratch): string {
  const folder = beside(one, 'bin');
  mkdirSync(folder);
  const places = (one.env['PATH'] ?? '').split(':');
  for (const name of ['git', 'node', 'sh', 'cat', 'date', 'tee', 'test', 'sleep', 'rm', 'env', 'mkdir', 'mv']) {
    const place = places.map((each) => join(each, name)).find((each) => existsSync(each));
    if (place !== undefined) symlinkSync(place, join(folder, name));
  }
  return folder;
}

describe('mend e: gate commands run as people mean them', () => {
  it.each([
    ['before a pipe', `${RED} | tee log.ignored`],
    ['on the first of two lines', `${RED}\ntrue`],
    ['before a semicolon', `${RED}; true`],
  ])('mend e: a failure %s counts', async (_, command) => {
    const one = scratch();
    withGates(one, [command]);
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({ landed: [], parked: [{ task: 't1', reason: 'iterations' }] });
    expect(landedTasks(one.git, 'main')).toEqual([]);
  });

  it('mend e: conditions, negations and here-documents mean what they mean in a shell', async () => {
    const one = scratch();
    withGates(one, [
      'if test -e BROKEN; then exit 1; fi\n[ ! -e t1.txt ] || test "$(cat t1.txt)" = "made by t1"',
      '! grep -rq FIXME t1.txt',
      'false || true; cat <<E | grep -c "a & b"\na & b &\nE',
    ]);
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
  });

  it('mend e: what & left running is ended and does not count', async () => {
    const one = scratch();
    withGates(one, [`(sleep 600; false) & echo $! > ${beside(one, 'pid')}; test -e README.md`]);
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(readFileSync(beside(one, 'pid'), 'utf8')).toMatch(/^\d+\n$/);
    expect(processesOf(one.root).filter(({ command }) => command.includes('sleep 600'))).toEqual([]);
  });

  it.each([
    ['npm test &', /ralph\.toml:\d+:\d+ .*"npm test &" ends in &.*write "npm test"/],
    ['npm test & # soon', /ends in &/],
    ['# npm test', /ralph\.toml:\d+:\d+ .*"# npm test" is only a comment/],
    ['', /ralph\.toml:\d+:\d+ /],
  ])('mend e: %j is refused by config check and before a run starts', async (command, words) => {
    const one = scratch();
    withGates(one, ['true', command]);
    for (const args of [['config', 'check'], ['run'], ['land', '--all']]) {
      const { code, stderr } = await ralph(one, args);
      expect([args, code]).toEqual([args, 3]);
      expect(stderr).toMatch(words);
    }
    expect(starts(one)).toEqual([]);
  });

  it('mend e: without bash, sh -e runs the gates and one warning names the pipe', async () => {
    const one = scratch();
    const env = { PATH: withoutBash(one) };
    withGates(one, ['cat t1.txt | tee log.ignored', `${RED} | cat`, `${RED}\ntrue`]);
    const { code, stderr, stdout } = await ralph(one, RUN, { env });
    expect(code, stderr).toBe(1);
    expect(stderr.match(/warning: bash is not installed.*"cat t1\.txt \| tee log\.ignored"/g)).toHaveLength(1);
    // The pipe is green for want of pipefail; the two lines are not.
    expect(summaryOf(stdout).parked).toMatchObject([
      { why: expect.stringMatching(/gate still fails: test ! -e t1.txt\ntrue/) },
    ]);
    expect((await ralph(one, ['config', 'check'], { env })).stderr).toContain('bash is not installed');
  });
});

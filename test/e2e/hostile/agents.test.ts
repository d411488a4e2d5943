import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { parseEvents } from '../harness/events.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';

const EVIL = '\u001B[31m\u001B]52;c;cm0gLXJm\u0007\u009B2J\u202E\u0000\b';
// oxlint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

const INIT = { type: 'system', subtype: 'init', session_id: `s${EVIL}`, model: `model${EVIL}` };
const TOOL = { type: 'tool_use', id: '1', name: `Ba${EVIL}sh`, input: { command: `ls${EVIL}` } };
const RETRY = { type: 'system', subtype: 'api_retry', error: `busy${EVIL}`, error_status: 529, retry_delay_ms: 1 };
const failed = (status: number, result: string): object => ({
  type: 'result',
  subtype: 'success',
  is_error: true,
  api_error_status: status,
  result,
});

/** A project whose agent prints these lines as Claude would and ends with 1. */
function printing(lines: readonly object[]): Scratch {
  const one = scratch();
  const path = beside(one, 'lines');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const command = ['sh', '-c', `cat > /dev/null; cat ${path}; exit 1`];
  project(one, {
    tasks: ['t1'],
    config: {
      agent: 'evil',
      'agents.evil': { driver: 'claude', command },
      limits: { consecutive_failures: 1 },
    },
  });
  return one;
}

describe('what an agent prints', () => {
  it.each([
    [
      'a failure',
      1,
      [failed(400, `broken${EVIL}`)],
      [['status', '--parallel'], ['cost'], ['logs', 't1'], ['tasks', 'show', 't1']],
    ],
    ['a login', 6, [failed(401, `Not logged in${EVIL}`)], [['status']]],
  ])('%s with escape sequences in every field is shown inert', async (_, code, end, commands) => {
    const one = printing([INIT, { type: 'assistant', message: { content: [TOOL] } }, RETRY, ...end]);
    const run = await ralph(one, ['run']);
    expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(/broken|Not logged in/)]);
    const shown = await Promise.all(commands.map(async (args) => await ralph(one, args)));
    expect(shown.map((answer) => answer.code)).toEqual(commands.map(() => 0));
    for (const { stdout, stderr } of [run, ...shown]) expect(stdout + stderr).not.toMatch(RAW);
    for (const { stdout } of shown) expect(stdout).not.toBe('');
  });
});

describe('what an agent must leave to people', () => {
  it('it cannot land, free or steer anything, nor clean up, and its task file is not read', async () => {
    const one = scratch();
    const said = beside(one, 'said');
    shellProject(
      one,
      `echo '- [ ] Mine <!-- id: mine -->' > PRD.md
       for command in 'land --all' 'land alpha' 'tasks reset alpha' 'loops steer alpha hi' 'parallel clean' run; do
         code=0; ralph $command > ${said}.one 2>&1 || code=$?
         echo "$command: $code $(head -1 ${said}.one)" >> ${said}
       done
       git checkout -q PRD.md; echo made > made.txt; ralph done`,
      { tasks: ['alpha'] },
    );
    const run = await ralph(one, ['run', '--events']);
    expect(run.code).toBe(0);
    const lines = readFileSync(said, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/^[^:]+: 2 error\[E_NESTED\]/);
    expect(run.stdout).not.toMatch(/"type":"(?:task-reset|loop-steered)"/);
    // Read once more where the tick is published before the host has left.
    const read = parseEvents(run.stdout).filter(({ type }) => type === 'tasks-read');
    expect(JSON.stringify(read)).toContain('Make alpha');
    expect(JSON.stringify(read)).not.toContain('Mine');
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['alpha']);
  });
});

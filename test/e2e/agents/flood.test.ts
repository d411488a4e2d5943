import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { itOn } from '../../needs.ts';
import { project } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

const MEGABYTE = 1024 * 1024;
const HOST_MB_MAX = 150;
const LOG_MB = 64;
/** By this line a reader of JSON knows whose lines follow. */
const FIRST = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's1', model: 'm' });

/** Prints a flood of these pieces, then does its work and claims. */
function floodingAgent(one: Scratch, floodMb: number, piece: string, claim: string): string {
  const file = beside(one, 'flooding-agent.mjs');
  const script = `
import { writeFileSync, writeSync } from 'node:fs';
const piece = Buffer.from(${JSON.stringify(piece.repeat(Math.ceil(MEGABYTE / piece.length)))});
writeSync(1, ${JSON.stringify(`${FIRST}\n`)});
for (let sent = 0; sent < ${floodMb * MEGABYTE}; sent += piece.length)
  for (let at = 0; at < piece.length; at += writeSync(1, piece, at));
writeFileSync(process.env.RALPH_TASK_ID + '.txt', 'made');
writeSync(1, ${JSON.stringify(`${claim}\n`)});
`;
  writeFileSync(file, script);
  return file;
}

/** The most memory the process ever held, in MB, as last seen before it ended. */
async function peakMb(running: Running): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1];
      peak = Math.max(peak, Number(kb ?? 0) / 1024);
    } catch {
      // It has just ended.
    }
  }, 20);
  await running.ended.finally(() => clearInterval(timer));
  return peak;
}

/** Sizes of all logs of all iterations. */
function logSizes(one: Scratch): number[] {
  const runs = join(one.repo, '.git/paralph/runs');
  return readdirSync(runs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('stdout.log'))
    .map((name) => statSync(join(runs, name)).size);
}

const CLAIM = '<promise>COMPLETE</promise>';
const WORDS = 'the quick brown fox jumps over the lazy dog '.repeat(20);
const said = (text: string): string =>
  JSON.stringify({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text }], usage: {} } });
const RESULT = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: CLAIM, usage: {} });

describe('an agent that prints without end', () => {
  for (const [floodMb, kind, driver, piece, claim] of [
    [600, 'lines of text', 'text', `${WORDS}\n`, CLAIM],
    [200, 'lines of JSON', 'jsonl', `${said(WORDS)}\n`, RESULT],
    [200, 'one line', 'jsonl', WORDS, `\n${RESULT}`],
  ] as const) {
    itOn('linux')(
      `case ${kind === 'one line' ? 40 : 39}: ${floodMb} MB, ${kind}: lands, the host stays small, and the log is cut`,
      async () => {
        const one = scratch();
        project(one, {
          tasks: ['a'],
          config: {
            agent: 'flooding',
            'agents.flooding': { driver, command: ['node', floodingAgent(one, floodMb, piece, claim)] },
            limits: { runtime: '170s' },
          },
        });
        const running = startRalph(one, ['run', '--parallel'], { timeoutMs: 170_000 });
        const peak = await peakMb(running);
        const { code, stdout, stderr } = await running.ended;
        expect(code, stdout + stderr).toBe(0);
        expect(one.git('show', 'main:a.txt')).toBe('made');
        expect(peak).toBeGreaterThan(20);
        expect(peak).toBeLessThan(HOST_MB_MAX);
        const sizes = logSizes(one);
        expect(sizes).toHaveLength(1);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(LOG_MB * MEGABYTE);
        expect(Math.max(...sizes)).toBeGreaterThan((LOG_MB - 1) * MEGABYTE);
      },
    );
  }
});

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect } from 'vitest';

import { itOn } from '../../needs.ts';
import { heapCounts, heapOptions } from '../harness/heap.ts';
import { processesOf } from '../harness/processes.ts';
import { project } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

/** The whole of it: SOAK=2000. What leaks with each iteration shows in a part of it as well. */
const ITERATIONS = Number(process.env['SOAK'] ?? 25);
const TASKS = 5;
const PER_TASK = Math.ceil(ITERATIONS / TASKS);
const TIMEOUT_MS = 120_000 + ITERATIONS * 1000;

/** A line more in every iteration; in the last the claim, once the host was looked at. */
const agent = (looked: string): string => `echo "$RALPH_ITERATION" >>"$RALPH_TASK_ID.txt"
[ "$RALPH_ITERATION" -lt ${PER_TASK} ] || {
  while ! test -e '${looked}'; do sleep 0.1; done
  echo "<promise>COMPLETE</promise>"
}`;

/** Of these a host must not hold more the longer it runs. */
const KINDS = [
  'Listener',
  'AbortSignal',
  'AbortController',
  'Timeout',
  'ChildProcess',
  'Socket',
  'FSWatcher',
  'WeakRef',
];
/** What the iterations of the moment hold differs from one moment to the next. */
const SLACK = 40;

const HEAPS = 2;

const ended = (running: Running): number => running.output().stdout.split('"type":"iteration-ended"').length - 1;

interface Holdings {
  readonly files: number;
  readonly children: number;
  readonly heap: ReadonlyMap<string, number>;
}

/** The least it held in a while, for the work of the moment comes and goes. */
async function holdings(pid: number, folder: string): Promise<Holdings> {
  const samples: { readonly files: number; readonly children: number }[] = [];
  for (let at = 0; at < 60; at += 1) {
    samples.push({ files: readdirSync(`/proc/${pid}/fd`).length, children: childrenOf(pid) });
    await sleep(25);
  }
  // Sockets of commands that run this moment are in a picture of the heap too.
  const heaps: ReadonlyMap<string, number>[] = [];
  while (heaps.length < HEAPS) heaps.push(await heapCounts(pid, folder));
  const heap = new Map(KINDS.map((kind) => [kind, Math.min(...heaps.map((one) => one.get(kind) ?? 0))]));
  return {
    files: Math.min(...samples.map((one) => one.files)),
    children: Math.min(...samples.map((one) => one.children)),
    heap,
  };
}

/** Children, also those that ended and were never collected. */
function childrenOf(pid: number): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid).length;
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

describe(`${ITERATIONS} iterations`, () => {
  itOn('linux')(
    'leak no file, no listener, no timer and no process',
    async () => {
      const one = scratch();
      const [folder, looked] = [beside(one, 'heaps'), beside(one, 'looked')];
      mkdirSync(folder);
      project(one, {
        tasks: Array.from({ length: TASKS }, (_, at) => `t${at}`),
        config: {
          agent: 'tiny',
          'agents.tiny': { command: ['sh', '-c', agent(looked)] },
          gates: { commands: ['true'] },
          limits: { iterations: PER_TASK + 1, runtime: '2h' },
        },
      });
      const running = startRalph(one, ['run', '--parallel', '--max-workers', String(TASKS), '--events'], {
        env: { NODE_OPTIONS: heapOptions(folder) },
        timeoutMs: TIMEOUT_MS,
      });
      const after = (count: number): Promise<true> =>
        until(`${count} iterations`, () => ended(running) >= count, TIMEOUT_MS);
      await after(ITERATIONS * 0.1);
      const first = await holdings(running.pid, folder);
      await after(TASKS * (PER_TASK - 1));
      const last = await holdings(running.pid, folder);
      writeFileSync(looked, '');
      const { code, stderr } = await running.ended;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(ended(running)).toBeGreaterThanOrEqual(ITERATIONS);
      expect(stderr).not.toContain('Warning');
      expect(last.files - first.files, 'open files').toBeLessThanOrEqual(TASKS);
      expect(last.children - first.children, 'children').toBeLessThanOrEqual(TASKS);
      for (const kind of KINDS) {
        const grown = (last.heap.get(kind) ?? 0) - (first.heap.get(kind) ?? 0);
        expect(grown, `${kind} objects`).toBeLessThanOrEqual(SLACK);
      }
      expect(processesOf(one.root), 'processes that outlive the run').toEqual([]);
    },
    TIMEOUT_MS + 60_000,
  );
});

// Agents that note when they begin and end, so that one program after another can be asked for how it starts them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './figures.mjs';

/** Sleeps as long as its task's id says and claims to be done; the tasks named in `false` claim it wrongly the first time. */
export const timedAgent = (top) => `#!/bin/sh
cat >/dev/null
echo "$RALPH_TASK_ID start $(date +%s%N)" >> "${top}/times"
nap=\${RALPH_TASK_ID##*-}
sleep "\${nap%s}"
what=good
if grep -qx "$RALPH_TASK_ID" "${top}/false" 2>/dev/null && mkdir "${top}/seen-$RALPH_TASK_ID" 2>/dev/null; then what=bad; fi
echo "$what $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"
echo "$RALPH_TASK_ID end $(date +%s%N)" >> "${top}/times"
echo '<promise>COMPLETE</promise>'
`;

/** Milliseconds since the epoch, in the order in which they were noted. */
export function timesIn(top) {
  const file = join(top, 'times');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const of = (kind) =>
    lines
      .map((line) => line.split(' '))
      .filter((words) => words[1] === kind)
      .map((words) => Number(words[2]) / 1e6)
      .toSorted((a, b) => a - b);
  return { starts: of('start'), ends: of('end') };
}

/** How long a slot was empty between two agents, in the middle. */
export function turnaroundOf({ starts, ends }, slots) {
  const gaps = starts.slice(slots).map((start, at) => start - ends[at]);
  return gaps.length === 0 ? 0 : median(gaps);
}

/** The same agents without anybody around them: as many at once as there are slots, by xargs. */
export function runBare(top, ids, slots) {
  const agent = join(top, 'bare.sh');
  writeFileSync(agent, timedAgent(top));
  const startedMs = Date.now();
  execFileSync('xargs', ['-P', String(slots), '-I', '{}', 'env', 'RALPH_TASK_ID={}', 'sh', agent], {
    cwd: top,
    input: `${ids.join('\n')}\n`,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return { wallMs: Date.now() - startedMs, ...timesIn(top) };
}

import { execFileSync } from 'node:child_process';
import { until } from './until.ts';

/** The failpoint lets a process go on after a while; here the test says when. */
export async function leaveSuspended(pid: number): Promise<void> {
  const found = await until('whoever would let it go on', () => {
    const lines = execFileSync('ps', ['axww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
    return lines.find((line) => line.trimEnd().endsWith(`kill -CONT ${pid}`));
  });
  process.kill(Number.parseInt(found, 10), 'SIGKILL');
}

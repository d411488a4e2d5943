import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { parseEvents, wholeLines } from '../harness/events.ts';
import { gitSays } from '../harness/git.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { INT, valuesOf, watchRefs } from '../harness/values.ts';
import { faultsOf } from './judge.ts';
import { loseLog, makeWorkload, TRUTH } from './workload.ts';

/** The whole of it: PROOF_SEEDS=50. One of them again: PROOF_SEED=17. */
const ONE = process.env['PROOF_SEED'];
const SEEDS =
  ONE === undefined
    ? Array.from({ length: Number(process.env['PROOF_SEEDS'] ?? 4) }, (_, at) => at + 1)
    : [Number(ONE)];

const call = async (one: Scratch, args: readonly string[]) => await startRalph(one, args, { timeoutMs: 170_000 }).ended;

/** Every value that main took, and every one that we gave integration. */
function valuesSeen(one: Scratch, outputs: readonly string[]): string[] {
  const told = outputs.flatMap(parseEvents).flatMap(({ type, commit, to }) => {
    if (type === 'integration-advanced') return [String(commit)];
    return type === 'published' ? [String(to)] : [];
  });
  const planted = beside(one, 'planted');
  const foreign = existsSync(planted) ? wholeLines(readFileSync(planted, 'utf8')) : [];
  const last = gitSays(one.git, 'rev-parse', '--verify', '-q', INT) ? [one.git('rev-parse', INT)] : [];
  return [...valuesOf(one, 'refs/heads/main'), ...told, ...last.filter((commit) => !foreign.includes(commit))];
}

describe('agents and gates that work against the proof', () => {
  it.each(SEEDS)('mend a to d: no red tree reaches main or integration, seed %i', async (seed) => {
    const one = scratch();
    const { story, after, losesLog } = makeWorkload(one, seed);
    watchRefs(one);
    const before = one.git('rev-list', 'HEAD^').split('\n');
    const run = ['run', '--parallel', '--max-workers', '3', '--events'];
    const results = [await call(one, run)];
    if (losesLog) {
      loseLog(one);
      results.push(await call(one, run));
    }
    for (const words of after) results.push(await call(one, words[0] === 'run' ? run : words));
    const outputs = results.map(({ stdout }) => stdout).filter((text) => text.startsWith('{'));
    const values = valuesSeen(one, outputs).filter((commit) => !before.includes(commit));
    const faults = faultsOf(one, values, TRUTH);
    const said = results.map(({ code, stderr }) => `exit ${code}\n${stderr}`).join('\n');
    expect(faults, `PROOF_SEED=${seed} npm test -- proof\n${story}\n${said}`).toEqual([]);
    for (const { code, stderr } of results) expect(code, stderr).not.toBe(70);
    // What agents planted would not pass a check of the whole repository, and need not.
    rmSync(join(one.repo, '.git'), { recursive: true, force: true });
  });
});

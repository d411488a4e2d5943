import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MAIN, startRalph } from '../lib/ralph.mjs';
import { makeRepository } from '../lib/repository.mjs';

const COUNTED = 'gate-runs';

/** Every run of the gate is a line in a file outside the repository, so nobody but the gate itself is asked how often it ran. */
const config = ({ gate, landing }) => `agent = "bench"

[agents.bench]
command = ["sh", "{agent}"]

[gates]
commands = ['echo run >> "{top}/${COUNTED}"; ${gate}']

[parallel]
merge_policy = "manual"

[landing]
${landing}
`;

export function countGateRuns(repository) {
  const file = join(dirname(repository), COUNTED);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** The branches of the loops that wait for `ralph land`. */
export function readyBranches(repository) {
  const said = execFileSync(process.execPath, [MAIN, 'land', '--all', '--dry-run', '--json'], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(said).land.map(({ branch }) => branch);
}

/** A repository with `count` loops that did their work, passed their own gates and wait for a person to land them. */
export async function makeReady({ count, gate, landing = '', files = {}, workers = 4 }) {
  const naps = Array(count).fill(0);
  const repository = makeRepository({ naps, files, config: config({ gate, landing }) });
  const run = await startRalph(repository, ['run', '--parallel', '--max-workers', String(workers), '--events']).done;
  const ready = readyBranches(repository).length;
  if (ready !== count) throw new Error(`only ${ready} of ${count} loops are ready\n${run.messages}`);
  return { repository, naps };
}

/** Lands everything that is ready and says what it cost, by the clock and by the gate's own count. */
export async function landAll(repository, args = []) {
  const before = countGateRuns(repository);
  const result = await startRalph(repository, ['land', '--all', ...args]).done;
  return { ...result, gateRuns: countGateRuns(repository) - before };
}

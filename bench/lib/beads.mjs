import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beadsBin } from '../../scripts/lib/beads.mjs';
import { MAIN } from './ralph.mjs';
import { makeRepository } from './repository.mjs';

/** Words of `bd` that look at all issues; what a loop tells of its own is no part of scheduling. */
const LOOKS = new Set(['ready', 'list', 'export']);
const WORKED = 3;

const issue = (at) =>
  JSON.stringify({
    id: `t-${at + 1}`,
    title: `Make t-${at + 1}`,
    status: 'open',
    priority: at % 4,
    issue_type: 'task',
    ...(at < WORKED ? { labels: ['now'] } : {}),
    created_at: '2026-01-01T10:00:00Z',
    updated_at: '2026-01-01T10:00:00Z',
  });

/** What `ralph` asks the real `bd` while it works on a few of many issues; null: it is not built. */
export function beadsIn(count) {
  const bin = beadsBin('1.3.0');
  if (bin === null) return null;
  const repository = makeRepository({ naps: [0] });
  const [spy, log, lines] = ['spy', 'bd-calls', 'issues.jsonl'].map((name) => join(dirname(repository), name));
  mkdirSync(spy);
  writeFileSync(join(spy, 'bd'), `#!/bin/sh\necho "$1" >> '${log}'\nexec '${bin}/bd' "$@"\n`, { mode: 0o755 });
  const PATH = `${spy}:${bin}:${process.env.PATH ?? ''}`;
  const env = { ...process.env, PATH, DO_NOT_TRACK: '1', BEADS_NO_DAEMON: '1', HOME: dirname(repository) };
  const quiet = { cwd: repository, env, stdio: 'pipe', encoding: 'utf8', maxBuffer: 1 << 28 };
  execFileSync('git', ['rm', '-q', 'PRD.md'], quiet);
  execFileSync('git', ['commit', '-qm', 'Plan elsewhere'], quiet);
  appendFileSync(join(repository, '.git/info/exclude'), '\n.beads/\n.beads.gate.lock\n');
  const init = ['init', '-p', 't', '--stealth', '--skip-hooks', '-q', '--non-interactive', '--skip-agents'];
  execFileSync('bd', init, quiet);
  writeFileSync(lines, Array.from({ length: count }, (_, at) => `${issue(at)}\n`).join(''));
  execFileSync('bd', ['import', lines], quiet);
  const listed = execFileSync(process.execPath, [MAIN, 'tasks', 'list', '--json', '--tracker', 'beads'], quiet);
  writeFileSync(log, '');
  const run = [MAIN, 'run', '--parallel', '--label', 'now', '--tracker', 'beads'];
  const { status, stderr } = spawnSync(process.execPath, run, quiet);
  if (status !== 0) throw new Error(`the run ended with ${status}\n${stderr}`);
  const asked = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const looks = asked.filter((word) => word === 'ready').length;
  const all = asked.filter((word) => LOOKS.has(word)).length;
  return { seen: JSON.parse(listed).tasks.length, looks, calls: all / looks };
}

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { bundle } from '../harness/bundle.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { RalphOptions } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { claudeLines, fakeProgram } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';
import { fenceOf } from './pages.ts';

/** Where a reader is when a line of a guide makes sense. */
export type Scene =
  | 'planned'
  | 'ready'
  | 'landed'
  | 'stopped'
  | 'working'
  | 'queued'
  | 'parked'
  | 'kept'
  | 'worktree'
  | 'bare';

/** Works as a client called claude would: reads its prompt, makes one file, says that it is done. `hold` keeps it at work. */
const agent = (hold: string): string => `
[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit 0; }
cat > /dev/null
while [ -e '${hold}' ]; do sleep 0.1; done
echo "made by \${RALPH_TASK_ID:-a prompt}" > "\${RALPH_TASK_ID:-prompt}.txt"
${claudeLines('<promise>COMPLETE</promise>', 0.01)}
`;

const TASKS = `# Shop

- [ ] Add a login form <!-- id: login --> <!-- group: auth --> <!-- story: S-005 --> <!-- epic: E-1 --> <!-- priority: 1 -->
- [ ] Search the list <!-- id: search --> <!-- group: ui --> <!-- label: ui --> <!-- priority: 2 -->
- [ ] Add a logout button <!-- id: logout --> <!-- group: auth -->
  - Depends on: login
`;

const CONFIG = '[gates]\ncommands = ["test ! -e BROKEN"]\n\n[limits]\niterations = 2\n';

/** What the reader's shell has: `ralph` and `claude` first on the PATH, and an editor that changes nothing. */
export function surroundings(one: Scratch): Readonly<Record<string, string>> {
  const bin = beside(one, 'bin');
  return { PATH: `${bin}:${one.env['PATH']}`, IS_SANDBOX: '1', EDITOR: 'touch', SHELL: '/bin/true', COLUMNS: '120' };
}

function furnish(one: Scratch): void {
  const bin = fakeProgram(one, 'claude', agent(beside(one, 'hold')));
  for (const name of ['ralph', 'paralph']) {
    writeFileSync(`${bin}/${name}`, `#!/bin/sh\nexec '${process.execPath}' '${bundle().main}' "$@"\n`);
    chmodSync(`${bin}/${name}`, 0o755);
  }
  one.put('PRD.md', TASKS);
  one.put('ralph.toml', CONFIG);
  one.put('src/login.ts', 'export const login = 1;\n');
  one.put('docs/login.md', '# Log in\n\nPeople can log in.\n');
  one.put('PROMPT.md', 'Make the header sticky.\n');
  for (const path of ['src/invoice/render.ts', 'src/old.ts'])
    one.put(path, Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`).join(''));
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'Plan the work');
  one.git('tag', 'v1.2');
  one.git('branch', 'fix/7');
  const remote = beside(one, 'origin.git');
  one.git('init', '-q', '--bare', '-b', 'main', remote);
  one.git('remote', 'add', 'origin', remote);
  one.git('push', '-q', '-u', 'origin', 'main');
}

/** Lays the scene out. */
export async function lay(one: Scratch, scene: Scene): Promise<void> {
  furnish(one);
  const options: RalphOptions = { env: surroundings(one) };
  const must = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await ralph(one, words, options);
    if (code !== 0) throw new Error(`ralph ${words.join(' ')} ended with ${code}:\n${stderr}`);
  };
  if (scene === 'planned') return;
  if (scene === 'bare') {
    one.git('rm', '-q', 'ralph.toml');
    one.git('commit', '-q', '-m', 'No settings yet');
    return;
  }
  if (scene === 'worktree') return must('worktree', 'new', 'login');
  if (scene === 'working' || scene === 'stopped') return atWork(one, scene, options);
  const isHeld = scene === 'queued' || scene === 'parked';
  if (isHeld) await must('queue', 'pause');
  const lands = scene === 'landed' || isHeld;
  const ran = await ralph(one, ['run', '--parallel', ...(lands ? ['--merge-policy', 'auto_merge'] : [])], options);
  if (ran.code !== 0 && !isHeld) throw new Error(`the run of the scene ended with ${ran.code}:\n${ran.stderr}`);
  one.put('remarks.json', fenceOf('docs/guide/review.md', 'json'));
  if (scene === 'parked') {
    await must('queue', 'eject', 'login');
    await must('queue', 'resume');
  }
  if (scene === 'kept') await must('loops', 'discard', 'login', '-y');
}

async function atWork(one: Scratch, scene: Scene, options: RalphOptions): Promise<void> {
  const hold = beside(one, 'hold');
  mkdirSync(hold);
  const host = startRalph(one, ['run', '--task', 'login'], options);
  await host.waitFor(/starts in slot/);
  await until('its agent', async () => (await ralph(one, ['loops'], options)).stdout.includes('at-work (iterating)'));
  if (scene === 'working') return;
  await ralph(one, ['loops', 'stop', 'login', '--force'], options);
  host.signal('SIGINT');
  await host.ended;
  release(one);
}

/** Agents that were held at work do their task and end. */
export const release = (one: Scratch): void => rmSync(beside(one, 'hold'), { recursive: true, force: true });

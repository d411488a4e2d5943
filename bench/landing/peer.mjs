import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { git, makeScratch, writeFiles } from '../lib/repository.mjs';

/** The closest peer: one landing at a time, rebased and tested before it is pushed. Not a dependency, only measured against. */
export const PEER = 'claude-code-merge-queue';
const VERSION = '0.5.4';
const INSTALL_MS_MAX = 60_000;

/** Installs the peer into a folder that stays between runs. Gives its program, or throws the reason. */
export async function installPeer() {
  const folder = join(tmpdir(), `paralph-bench-${PEER}@${VERSION}`);
  const program = join(folder, 'node_modules', PEER, 'dist', 'bin', `${PEER}.js`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const { code, output } = await run(['npm', 'install', '--prefix', folder, ...flags, `${PEER}@${VERSION}`], {
    cwd: folder,
    timeout: INSTALL_MS_MAX,
  });
  if (code !== 0 || !existsSync(program))
    throw new Error(`npm install failed: ${output.trim().split('\n').slice(-2).join(' ')}`);
  return program;
}

/** Lanes as its documentation has them: a remote, a main checkout with its hook and settings, a worktree for each lane. */
function makeLanes({ count, gate, program }) {
  const top = makeScratch();
  const counted = join(top, 'gate-runs');
  const main = join(top, 'repository');
  const settings = {
    integrationBranch: 'main',
    checkCommand: `echo run >> "${counted}"; ${gate}`,
    checksRequired: true,
    symlinks: [],
  };
  writeFiles(main, {
    'README.md': 'bench\n',
    [`${PEER}.config.mjs`]: `export default ${JSON.stringify(settings)};\n`,
  });
  git(top, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin.git');
  git(main, 'init', '--quiet', '--initial-branch=main');
  git(main, 'config', 'user.name', 'Bench');
  git(main, 'config', 'user.email', 'bench@example.com');
  git(main, 'remote', 'add', 'origin', join(top, 'origin.git'));
  git(main, 'add', '.');
  git(main, 'commit', '--quiet', '-m', 'start');
  git(main, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  const hook = join(main, '.git', 'hooks', 'pre-push');
  writeFiles(main, { '.git/hooks/pre-push': `#!/bin/sh\nexec "${process.execPath}" "${program}" check-push\n` });
  chmodSync(hook, 0o755);
  const lanes = Array.from({ length: count }, (_, index) => {
    const lane = join(top, `repository-lane-${index + 1}`);
    git(main, 'worktree', 'add', '--quiet', '-b', `lane/${index + 1}`, lane);
    writeFiles(lane, { [`lane-${index + 1}.txt`]: `made in lane ${index + 1}\n` });
    git(lane, 'add', '.');
    git(lane, 'commit', '--quiet', '-m', `lane ${index + 1}`);
    return lane;
  });
  return { top, main, lanes, counted };
}

function landLane(program, lane, top) {
  const child = spawn(process.execPath, [program, 'land'], {
    cwd: lane,
    // Its queue lives in the temporary folder: there it goes away with the lanes.
    env: { ...process.env, TMPDIR: top },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => settle({ code, said }));
  });
}

/** All lanes ask to land at the same moment, as its users' agents do. */
export async function landWithPeer({ count, gate, program }) {
  const { top, main, lanes, counted } = makeLanes({ count, gate, program });
  const startedMs = performance.now();
  const results = await Promise.all(lanes.map((lane) => landLane(program, lane, top)));
  const wallMs = performance.now() - startedMs;
  const failed = results.find(({ code }) => code !== 0);
  if (failed != null) throw new Error(`a lane did not land: ${failed.said.trim().split('\n').slice(-4).join(' ')}`);
  git(main, 'fetch', '--quiet', 'origin');
  const onMain = git(main, 'ls-tree', '--name-only', 'origin/main').split('\n');
  const landed = onMain.filter((name) => name.startsWith('lane-')).length;
  if (landed !== count) throw new Error(`only ${landed} of ${count} lanes are on main`);
  return { wallMs, gateRuns: readFileSync(counted, 'utf8').split('\n').length - 1 };
}

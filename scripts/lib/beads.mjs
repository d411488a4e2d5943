import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { run } from './run.mjs';
import { isThere } from './tools.mjs';

/**
 * The `bd` programs some tests drive for real: the newest, and the oldest that is still met. No package carries them for every
 * platform, so they are built from their Go modules. The newest opens its embedded store only when it is built with cgo.
 */
const MODULE = 'github.com/steveyegge/beads';
const BEADS = [
  { version: '1.3.0', cgo: '1', flags: ['-tags', 'gms_pure_go'] },
  { version: '0.47.1', cgo: '0', flags: [] },
];

const DOWNLOAD_MS_MAX = 5 * 60_000;
const BUILD_MS_MAX = 15 * 60_000;

/** Where they are kept between runs, for all clones of this repository. */
function beadsCache(env = process.env) {
  if (env.PARALPH_BEADS_CACHE) return env.PARALPH_BEADS_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paralph', 'beads');
}

/** The folder with a version's `bd`, or null when it is not built. */
export function beadsBin(version) {
  const bin = join(beadsCache(), version);
  return existsSync(join(bin, 'bd')) ? bin : null;
}

const reason = (output) => output.trim().split('\n').slice(-3).join(' ').slice(-300) || 'it said nothing';

async function go(args, options) {
  const { code, output } = await run(['nice', 'go', ...args], options);
  if (code !== 0) throw new Error(`go ${args[0]} failed: ${reason(output)}`);
  return output;
}

/** Builds beside and moves into place complete: half a program is never seen. */
async function build({ version, cgo, flags }) {
  const scratch = mkdtempSync(join(tmpdir(), 'paralph-beads-'));
  const env = { ...process.env, CGO_ENABLED: cgo, GOFLAGS: '' };
  try {
    const listed = await go(['mod', 'download', '-json', `${MODULE}@v${version}`], {
      cwd: scratch,
      env,
      timeout: DOWNLOAD_MS_MAX,
    });
    const { Dir: source } = JSON.parse(listed.slice(listed.indexOf('{')));
    const small = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
    const program = join(scratch, 'bd');
    await go(['build', ...small, ...flags, '-o', program, './cmd/bd'], { cwd: source, env, timeout: BUILD_MS_MAX });
    const folder = join(beadsCache(), `.new-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    renameSync(program, join(folder, 'bd'));
    renameSync(folder, join(beadsCache(), version));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function buildOne(one) {
  const title = `bd ${one.version}`;
  if (beadsBin(one.version) != null) return `${title}: is there`;
  const startedMs = Date.now();
  try {
    await build(one);
    return `${title}: built in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
  } catch (error) {
    return `${title}: NOT built: ${error.message}`;
  }
}

/**
 * Builds what is missing, one after the other, where Go is. Gives one line for each; a failure is a line, tests say what it means.
 * `isWanted`: a machine of a person's own is asked for nothing that takes minutes.
 */
export async function buildBeads(isWanted = process.env.CI === 'true') {
  const missing = BEADS.filter(({ version }) => beadsBin(version) == null);
  if (missing.length === 0) return BEADS.map(({ version }) => `bd ${version}: is there`);
  if (!isWanted || !isThere('go')) {
    const why = isThere('go') ? 'node scripts/beads.mjs builds it' : 'it needs Go';
    return missing.map(({ version }) => `bd ${version}: not built (${why}); recorded answers are used instead`);
  }
  mkdirSync(beadsCache(), { recursive: true });
  return await withLock('beads', async () => {
    const lines = [];
    for (const one of BEADS) lines.push(await buildOne(one));
    return lines;
  });
}

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { run } from './run.mjs';
import { isThere } from './tools.mjs';

/**
 * Programs some tests drive for real, for which no package has every platform: they are built from their Go modules, once for each
 * version, into a folder that all clones of this repository share.
 *
 * One is `{ title, program, module, version, source, cgo, flags, beside, cache, without }`: `source` is the package in the module,
 * `beside` the module's folders the program reads as it runs, `without` what the tests do where it is missing.
 */
const DOWNLOAD_MS_MAX = 5 * 60_000;
const BUILD_MS_MAX = 20 * 60_000;

/** Where programs of one kind are kept. */
export const goCache = (name, env = process.env) =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paralph', name);

/** The folder with a version's program, or null when it is not built. */
export function goBin({ cache, version, program }) {
  const bin = join(cache, version);
  return existsSync(join(bin, program)) ? bin : null;
}

const reason = (output) => output.trim().split('\n').slice(-3).join(' ').slice(-300) || 'it said nothing';

async function go(args, options) {
  const { code, output } = await run(['nice', 'go', ...args], options);
  if (code !== 0) throw new Error(`go ${args[0]} failed: ${reason(output)}`);
  return output;
}

/** Builds beside and moves into place complete: half a program is never seen. */
async function build(one) {
  const scratch = mkdtempSync(join(tmpdir(), `paralph-${one.program}-`));
  const env = { ...process.env, CGO_ENABLED: one.cgo, GOFLAGS: '' };
  const folder = join(one.cache, `.new-${process.pid}`);
  try {
    const download = ['mod', 'download', '-json', `${one.module}@v${one.version}`];
    const listed = await go(download, { cwd: scratch, env, timeout: DOWNLOAD_MS_MAX });
    const { Dir: module } = JSON.parse(listed.slice(listed.indexOf('{')));
    const small = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w'];
    const built = join(scratch, one.program);
    await go(['build', ...small, ...one.flags, '-o', built, one.source], { cwd: module, env, timeout: BUILD_MS_MAX });
    mkdirSync(folder, { recursive: true });
    // Not a rename: the cache may be on another disk than the scratch folder.
    cpSync(built, join(folder, one.program));
    for (const name of one.beside ?? []) cpSync(join(module, name), join(folder, name), { recursive: true });
    renameSync(folder, join(one.cache, one.version));
  } finally {
    for (const path of [scratch, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function buildOne(one) {
  if (goBin(one) != null) return `${one.title}: is there`;
  const startedMs = Date.now();
  try {
    await build(one);
    return `${one.title}: built in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
  } catch (error) {
    return `${one.title}: NOT built: ${error.message}`;
  }
}

/**
 * Builds what is missing, one after the other, where Go is. Gives one line for each; a failure is a line, tests say what it means.
 * `isWanted`: a machine of a person's own is asked for nothing that takes minutes.
 */
export async function buildGoPrograms(all, isWanted) {
  const missing = all.filter((one) => goBin(one) == null);
  if (missing.length === 0) return all.map((one) => `${one.title}: is there`);
  if (!isWanted || !isThere('go'))
    return missing.map(
      ({ title, script, without }) =>
        `${title}: not built (${isThere('go') ? `node ${script} builds it` : 'it needs Go'}); ${without}`,
    );
  for (const { cache } of all) mkdirSync(cache, { recursive: true });
  // One lock for all kinds: two builds at a time would only take each other's memory.
  return await withLock('go-programs', async () => {
    const lines = [];
    for (const one of all) lines.push(await buildOne(one));
    return lines;
  });
}

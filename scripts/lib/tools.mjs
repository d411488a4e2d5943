import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './run.mjs';

/** Programs some tests drive for real, by their package's name. */
const TOOLS = ['tmux', 'zsh', 'fish', 'chromium', 'gh'];
const INSTALL_MS_MAX = 3 * 60_000;

export function isThere(name, path = process.env.PATH ?? '') {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function install(names) {
  const options = { timeout: INSTALL_MS_MAX, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names];
  const first = await run(install, options);
  if (first.code === 0) return first;
  await run(['apt-get', 'update', '-qq'], options);
  return run(install, options);
}

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';

/** Where tools made from Go modules are kept between runs, for all clones of this repository. */
const toolsCache = (env = process.env) =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paralph', 'tools', ACTIONLINT.replace(/^.*\//, ''));

/** The program that checks workflows, or null where it is neither on the PATH nor in the cache. */
export function actionlint() {
  const kept = join(toolsCache(), 'actionlint');
  if (isThere('actionlint', toolsCache())) return kept;
  return isThere('actionlint') ? 'actionlint' : null;
}

/** Makes what checks workflows, where there is Go and the tests must not do without. */
export async function installActionlint() {
  if (actionlint() != null || process.env.CI !== 'true' || !isThere('go')) return [];
  const { code, output } = await run(['go', 'install', ACTIONLINT], {
    timeout: INSTALL_MS_MAX,
    env: { ...process.env, GOBIN: toolsCache(), GOFLAGS: '-modcacherw' },
  });
  return [code === 0 ? 'tools: actionlint installed' : `tools: no actionlint: ${output.trim().split('\n').at(-1)}`];
}

const JUST = 'rust-just@1.57.0';
const justCache = (env = process.env) =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paralph', 'tools', JUST);

/** The folder with the program that plays our recipes, or null where it is not installed. */
export function justBin() {
  const bin = join(justCache(), 'node_modules', '.bin');
  return isThere('just', bin) ? bin : null;
}

/** A few megabytes from npm, once, beside everything else. */
export async function installJust() {
  if (justBin() != null) return [];
  mkdirSync(justCache(), { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const { code, output } = await run(['npm', 'install', '--prefix', justCache(), ...flags, JUST], {
    cwd: justCache(),
    timeout: INSTALL_MS_MAX,
  });
  return [code === 0 ? `tools: ${JUST} installed` : `tools: no just: ${output.trim().split('\n').at(-1)}`];
}

/** Installs what is missing, where the tests must not do without: a machine of somebody's own is left as it is. */
export async function installTools() {
  const missing = TOOLS.filter((name) => !isThere(name));
  if (missing.length === 0 || process.env.CI !== 'true') return [];
  if (process.getuid?.() !== 0 || !isThere('apt-get'))
    return [`tools: ${missing.join(', ')} missing, and not installed: needs root and apt-get`];
  const { code, output, durationMs } = await install(missing);
  const seconds = (durationMs / 1000).toFixed(1);
  if (code === 0) return [`tools: ${missing.join(', ')} installed in ${seconds} s`];
  return [`tools: ${missing.join(', ')} could not be installed: ${output.trim().split('\n').at(-1)}`];
}

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { run } from './run.mjs';

/**
 * Agent clients the tests run for real. They are no dependencies: large, and some not free. `required` ones must be there
 * when CI=true. `finish` is the package's own install script, the only one that runs: it puts the program of this platform
 * in place.
 */
export const CLIENTS = [
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    required: true,
    finish: 'install.cjs',
  },
  { name: 'codex', package: '@openai/codex', version: '0.166.0', required: true, finish: null },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', required: true, finish: null },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.33', required: true, finish: 'postinstall.mjs' },
  { name: 'pi', package: '@mariozechner/pi-coding-agent', version: '0.73.1', required: true, finish: null },
  { name: 'copilot', package: '@github/copilot', version: '1.0.102', required: false, finish: null },
  { name: 'qwen', package: '@qwen-code/qwen-code', version: '0.15.10', required: false, finish: null },
];

const INSTALL_MS_MAX = 3 * 60_000;
const ASK_MS_MAX = 60_000;
/** What nobody can still be filling. */
const STALE_MS = 60 * 60_000;

/** Where clients are kept between runs, for all clones of this repository. */
function clientsCache(env = process.env) {
  if (env.PARALPH_CLIENTS_CACHE) return env.PARALPH_CLIENTS_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'paralph', 'clients');
}

const homeOf = (client) => join(clientsCache(), `${client.name}@${client.version}`);

/** The folder with the client's program, or null when it is not installed. */
export function clientBin(client) {
  const bin = join(homeOf(client), 'node_modules', '.bin');
  return existsSync(join(bin, client.name)) ? bin : null;
}

/** The end of what a program said, on one line. */
const reason = (output) => output.trim().split('\n').slice(-3).join(' ').slice(-300) || 'it said nothing';

/** Asks the program for its version, with nothing of the caller's but the path to node. */
async function assertRuns(client, folder) {
  const home = mkdtempSync(join(tmpdir(), 'paralph-client-'));
  const env = { HOME: home, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  try {
    const program = join(folder, 'node_modules', '.bin', client.name);
    const { code, output } = await run([program, '--version'], { cwd: home, env, timeout: ASK_MS_MAX });
    if (code !== 0 || !output.includes(client.version)) throw new Error(`it does not start: ${reason(output)}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function fill(client, folder) {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const wanted = `${client.package}@${client.version}`;
  const installed = await run(['npm', 'install', '--prefix', folder, ...flags, wanted], {
    cwd: folder,
    timeout: INSTALL_MS_MAX,
  });
  if (installed.code !== 0) throw new Error(`npm install failed: ${reason(installed.output)}`);
  if (client.finish == null) return;
  const script = join(folder, 'node_modules', client.package, client.finish);
  const finished = await run([process.execPath, script], { cwd: dirname(script), timeout: ASK_MS_MAX });
  if (finished.code !== 0) throw new Error(`${client.finish} failed: ${reason(finished.output)}`);
}

/** Installs beside and moves into place complete: nobody ever sees half a client. */
async function install(client) {
  const folder = join(clientsCache(), `.new-${process.pid}-${client.name}`);
  mkdirSync(folder, { recursive: true });
  try {
    await fill(client, folder);
    await assertRuns(client, folder);
    if (clientBin(client) == null) renameSync(folder, homeOf(client));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function removeUnfinished() {
  for (const name of readdirSync(clientsCache()).filter((one) => one.startsWith('.new-'))) {
    const folder = join(clientsCache(), name);
    if (Date.now() - statSync(folder).mtimeMs > STALE_MS) rmSync(folder, { recursive: true, force: true });
  }
}

async function installOne(client) {
  const title = `client ${client.name} ${client.version}`;
  if (clientBin(client) != null) return `${title}: is there`;
  const startedMs = Date.now();
  try {
    await install(client);
    return `${title}: installed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
  } catch (error) {
    return `${title}: NOT installed: ${error.message}`;
  }
}

/** Installs what is missing, one after the other. Gives one line for each; a failure is a line, tests say what it means. */
export async function installClients() {
  try {
    mkdirSync(clientsCache(), { recursive: true });
    return await withLock('clients', installAll);
  } catch (error) {
    return [`clients: NOT installed: ${error.message}`];
  }
}

async function installAll() {
  removeUnfinished();
  const lines = [];
  for (const client of CLIENTS) lines.push(await installOne(client));
  return lines;
}

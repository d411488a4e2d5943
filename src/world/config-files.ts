import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { AppError } from '../core/errors.ts';
import { shellWord } from '../core/remedy.ts';
import { nameKey, problemLine, readEnvLayer, readFlagLayer, readText } from '../text/config/layer.ts';
import type { ConfigProblem, Layer } from '../text/config/layer.ts';
import { settle, type Settled } from '../text/config/settle.ts';
import { MANAGER_FILE } from '../text/start/manager-name.ts';
import { readPlainText } from './plain-text.ts';

export interface ConfigPlaces {
  /** Root of the checkout. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Dotted key to text. */
  readonly flags: ReadonlyMap<string, string>;
}

export type LoadedConfig = Settled & {
  /** The files that were read, by absolute path, weakest first. */
  readonly files: readonly string[];
  /** What is wrong with files of other programs that are read along. It stops nobody. */
  readonly warnings: readonly ConfigProblem[];
};

interface ConfigFile {
  readonly kind: 'user' | 'repo' | 'local';
  readonly file: string;
  /** As problems and origins name it: relative inside the checkout. */
  readonly name: string;
}

const REPO_NAMES = ['ralph.toml', '.ralph/ralph.toml'] as const;
const LOCAL_NAMES = ['ralph.local.toml', '.ralph/ralph.local.toml'] as const;

/** Every problem there is, as one error. */
export function configError(problems: readonly ConfigProblem[], remedy: string): AppError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError('E_CONFIG', `the configuration has ${count}`, { facts: problems.map(problemLine), remedy });
}

/** Settles the configuration as far as it goes and leaves the problems to the caller. */
export async function checkConfig({ root, env, flags }: ConfigPlaces): Promise<LoadedConfig> {
  const files = [
    ...present('user', path.dirname(userConfigFile(env)), [path.basename(userConfigFile(env))]),
    ...present('repo', root, REPO_NAMES),
    ...present('local', root, LOCAL_NAMES),
  ];
  const layers: Layer[] = [readEnvLayer(env), readFlagLayer(flags)];
  if (files.length > 0) {
    // Most runs of most commands find no file: they must not pay for loading a TOML parser.
    const { readTomlLayer } = await import('../text/config/toml-layer.ts');
    for (const { kind, file, name } of files) {
      const read = readConfigFile(file);
      layers.push('text' in read ? readTomlLayer(kind, name, read.text) : faulty(kind, name, read.fault));
    }
    layers.push(...twins(files));
  }
  const manager = await readManager(root, env);
  layers.push(...manager.layers);
  return { ...settle(layers), files: [...manager.files, ...files.map(({ file }) => file)], warnings: manager.warnings };
}

interface Manager {
  readonly layers: readonly Layer[];
  readonly files: readonly string[];
  readonly warnings: readonly ConfigProblem[];
}

/** Settings of the worktree-manager plugin: the home's below the checkout's, both below every file of ours. */
async function readManager(root: string, env: NodeJS.ProcessEnv): Promise<Manager> {
  const home = path.join(homeOf(env), MANAGER_FILE);
  const places = [
    { file: home, name: home },
    { file: path.join(root, MANAGER_FILE), name: MANAGER_FILE },
  ].filter(({ file }, at, all) => isThere(file) && all.findIndex((one) => one.file === file) === at);
  if (places.length === 0) return { layers: [], files: [], warnings: [] };
  const { readManagerFile } = await import('../text/start/manager-file.ts');
  const read = places.map(({ file, name }) => {
    const found = readConfigFile(file);
    if ('text' in found) return readManagerFile(name, found.text);
    return { layer: null, warnings: [{ file: name, line: 1, column: 1, message: found.fault }] };
  });
  return {
    layers: read.flatMap(({ layer }) => layer ?? []),
    files: places.map(({ file }) => file),
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

/** Sets one key in the checkout's configuration file, made if there is none, and returns the file's path. */
export async function writeConfigKey(root: string, dottedKey: string, text: string): Promise<string> {
  const named = nameKey(dottedKey);
  if (typeof named === 'string') throw refused(dottedKey, named, 'ralph config list');
  const value = readText(named.key, named.dotted, text);
  if (typeof value === 'string') throw refused(dottedKey, value, 'ralph config list');

  const files = present('repo', root, REPO_NAMES);
  const [both] = twins(files).flatMap((layer) => layer.problems);
  if (both !== undefined) throw refused(dottedKey, problemLine(both), 'ralph config check');
  const file = insideCheckout(root, files[0]?.file ?? path.join(root, REPO_NAMES[0]));
  const before = existsSync(file) ? readConfigFile(file) : { text: '' };
  if ('fault' in before) throw refused(dottedKey, `${file} ${before.fault}`, 'ralph config check');

  const { setTomlKey } = await import('../text/config/edit.ts');
  const edit = setTomlKey(before.text, named.dotted, value.value);
  if (!edit.ok) throw refused(dottedKey, `${path.relative(root, file)}: ${edit.reason}`, 'ralph config check');
  if (edit.text !== before.text) replaceFile(file, edit.text);
  return file;
}

/** `$XDG_CONFIG_HOME/ralph/config.toml`; a relative XDG folder counts as unset, as its specification asks. */
export function userConfigFile(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const base = path.isAbsolute(xdg) ? xdg : path.join(homeOf(env), '.config');
  return path.join(base, 'ralph', 'config.toml');
}

function homeOf(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? '';
  return home === '' ? homedir() : home;
}

/** Those that exist, dangling links included: a link to nowhere is a mistake to report, not a missing file. */
function present(kind: ConfigFile['kind'], folder: string, names: readonly string[]): ConfigFile[] {
  return names
    .map((name) => ({ kind, file: path.join(folder, name), name: kind === 'user' ? path.join(folder, name) : name }))
    .filter(({ file }) => isThere(file));
}

/** A folder we may not look into counts as there, so that reading reports it instead of passing it over. */
function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCode(error));
  }
}

function twins(files: readonly ConfigFile[]): Layer[] {
  return (['repo', 'local'] as const).flatMap((kind) => {
    const [first, second] = files.filter((each) => each.kind === kind);
    if (first === undefined || second === undefined) return [];
    return [faulty(kind, second.name, `and ${first.name} both exist; keep one of the two`)];
  });
}

function faulty(kind: ConfigFile['kind'], name: string, message: string): Layer {
  const problem: ConfigProblem = { file: name, line: 1, column: 1, message };
  return { kind, name, values: new Map(), problems: [problem] };
}

function readConfigFile(file: string): { readonly text: string } | { readonly fault: string } {
  return readPlainText(file) ?? { fault: 'cannot be read: ENOENT' };
}

/** Where a write would really go; refused when links lead it out of the checkout. */
function insideCheckout(root: string, file: string): string {
  const home = realpathSync(root);
  let target: string;
  try {
    target = isThere(file) ? realpathSync(file) : path.join(realpathSync(path.dirname(file)), path.basename(file));
  } catch (error) {
    throw new AppError('E_CONFIG', `${file} is a link that leads nowhere`, {
      cause: error,
      remedy: `rm ${shellWord(file)}`,
    });
  }
  const relative = path.relative(home, target);
  if (relative === '..' || relative.startsWith(`..${path.sep}`)) {
    throw new AppError('E_CONFIG', `${file} leads out of the checkout, so it is not written`, {
      facts: [`it leads to ${target}`],
      remedy: `$EDITOR ${shellWord(target)}`,
    });
  }
  return target;
}

/** All or nothing, also across a power cut: readers see the old file or the new one. */
function replaceFile(file: string, text: string): void {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
  try {
    mkdirSync(folder, { recursive: true });
    const handle = openSync(temporary, 'wx', mode & 0o777);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
    syncFolder(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new AppError('E_CONFIG', `${file} cannot be written: ${systemCode(error)}`, { cause: error });
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function refused(dottedKey: string, why: string, remedy: string): AppError {
  return new AppError('E_CONFIG', `${dottedKey} was not set`, { facts: [why], remedy });
}

function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

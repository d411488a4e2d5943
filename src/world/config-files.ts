import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { AppError } from '../core/model/errors.ts';
import { shellWord } from '../core/model/shell-word.ts';
import { nameKey, problemLine, readEnvLayer, readFlagLayer, readText } from '../text/config/layer.ts';
import { settle, strongest } from '../text/config/settle.ts';
import { MANAGER_FILE } from '../text/start/manager-name.ts';
import { errnoOf } from './os/system-failure.ts';
import { readPlainText, replaceFile } from './os/files.ts';
import { CONFIG_NAME, findTargetConfig } from './target-config.ts';
import { findTargetPlace } from './trackers/target-place.ts';
import type { ConfigProblem, Layer, LayerValue } from '../text/config/layer.ts';
import type { Settled } from '../text/config/settle.ts';
import type { Repository } from './git/run/repository.ts';
import type { TargetConfig } from './target-config.ts';
import type { TargetPlace } from './trackers/target-place.ts';

export interface ConfigPlaces {
  readonly repo: Repository;
  readonly env: NodeJS.ProcessEnv;
  /** Dotted key to text. */
  readonly flags: ReadonlyMap<string, string>;
}

export type LoadedConfig = Settled & {
  /** The files that were read, weakest first: by absolute path, or as `git show` takes them. */
  readonly files: readonly string[];
  /** The repository's own among them; null: it has none. */
  readonly own: string | null;
  /** What is wrong with files of other programs that are read along. It stops nobody. */
  readonly warnings: readonly ConfigProblem[];
  /** The branch whose configuration this is; null: there is none yet, and the checkout's counts. */
  readonly target: TargetPlace | null;
  /** The target has no configuration file, but the branch somebody stands on has one; null: not so. */
  readonly elsewhere: { readonly branch: string | null; readonly target: string } | null;
};

interface ConfigFile {
  readonly kind: 'user' | 'repo' | 'local';
  readonly file: string;
  /** As problems and origins name it: relative inside the checkout. */
  readonly name: string;
}

const REPO_NAMES = [CONFIG_NAME, '.ralph/ralph.toml'] as const;
const WORKTREE_ROOT_KEY = 'parallel.worktree_root';
const TARGET_KEY = 'landing.target';
const LOCAL_NAMES = ['ralph.local.toml'] as const;

/** Every problem there is, as one error. */
export function configError(problems: readonly ConfigProblem[], remedy: string): AppError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new AppError('E_CONFIG', `the configuration has ${count}`, { facts: problems.map(problemLine), remedy });
}

/**
 * Settles the configuration as far as it goes and leaves the problems to the caller. The repository's file is the target's, with
 * the edits of the checkout that stands on it.
 */
export async function checkConfig({ repo, env, flags }: ConfigPlaces): Promise<LoadedConfig> {
  const { root } = repo;
  const user = present('user', path.dirname(userConfigFile(env)), [path.basename(userConfigFile(env))]);
  // A person's own file beside a linked worktree says more than the one in the main checkout.
  const locals = [...new Set([root, repo.worktree])];
  const local = locals.flatMap((folder) => present('local', folder, LOCAL_NAMES));
  const manager = await readManager(root, env);
  const outer = [readEnvLayer(env), readFlagLayer(flags), ...manager.layers, ...(await readFiles([...user, ...local]))];
  const { files, layers, target, elsewhere } = await readRepo(repo, outer);
  const all = [...user, ...files, ...local];
  const settled = settle([...outer, ...layers, ...twins(all)]);
  return {
    ...settled,
    problems: [...settled.problems, ...notOfItsOwn(repo, strongest([...outer, ...layers], WORKTREE_ROOT_KEY))],
    files: [...manager.files, ...all.map(({ file }) => file)],
    own: files[0]?.file ?? null,
    warnings: manager.warnings,
    target,
    elsewhere,
  };
}

/** Worktrees laid into a checkout's top, or into git's own folder, would be files of both. */
function notOfItsOwn({ root, commonDir }: Repository, found: LayerValue | null): readonly ConfigProblem[] {
  if (found === null) return [];
  const { source, line, column, value } = found;
  const folder = path.resolve(root, String(value));
  const isInGit = folder === commonDir || folder.startsWith(commonDir + path.sep);
  if (folder !== root && !isInGit) return [];
  const where = isInGit ? "and not inside of git's own" : 'and not the checkout itself';
  const message = `\`${WORKTREE_ROOT_KEY}\` is ${JSON.stringify(value)}; it must be a folder of its own, ${where}, such as ".ralph/worktrees"`;
  return [{ file: source, line, column, message }];
}

interface RepoConfig extends Pick<LoadedConfig, 'target' | 'elsewhere'> {
  readonly files: readonly ConfigFile[];
  readonly layers: readonly Layer[];
}

/**
 * Which branch is the target, its own file cannot say: flags, variables, your files and the file of the main checkout do. Where all
 * of them are silent, the usual branch's file may name another, and then that one's file counts.
 */
async function readRepo(repo: Repository, outer: readonly Layer[]): Promise<RepoConfig> {
  const files = present('repo', repo.root, REPO_NAMES);
  const here = { files, layers: await readFiles(files) };
  const named = strongest([...outer, ...here.layers], TARGET_KEY);
  const first = await readTarget(repo, here, named);
  const next = named === null ? strongest(first.layers, TARGET_KEY) : null;
  const found = next === null ? first : await readTarget(repo, here, next);
  const pin = next ?? (here.layers.some((layer) => layer.values.get(TARGET_KEY) === named) ? named : null);
  return { ...found, layers: found.layers.map((layer, at) => withTarget(layer, at === 0 ? pin : null)) };
}

async function readTarget(
  repo: Repository,
  here: Pick<RepoConfig, 'files' | 'layers'>,
  named: LayerValue | null,
): Promise<RepoConfig> {
  const target = await findTargetPlace(repo, typeof named?.value === 'string' ? named.value : null);
  if (target === null || target.checkout === repo.root) return { ...here, target, elsewhere: null };
  const found = await findTargetConfig(repo, target);
  const apart = here.files.filter(({ name }) => name !== CONFIG_NAME);
  const files = [...filesOf(found, target.branch), ...apart];
  const elsewhere = found.kind === 'elsewhere' ? { branch: found.branch, target: target.branch } : null;
  const none: Layer = { kind: 'repo', name: CONFIG_NAME, values: new Map(), problems: [] };
  const layers = files.length === 0 ? [none] : await readFiles(files, found);
  return { files, layers, target, elsewhere };
}

function filesOf(found: TargetConfig, branch: string): readonly ConfigFile[] {
  if (found.kind === 'file') return [{ kind: 'repo', file: found.file, name: found.file }];
  const name = `${branch}:${CONFIG_NAME}`;
  return found.kind === 'commit' ? [{ kind: 'repo', file: name, name }] : [];
}

/** A layer that names this target, or none. */
function withTarget(layer: Layer, named: LayerValue | null): Layer {
  const others = [...layer.values].filter(([key]) => key !== TARGET_KEY);
  return { ...layer, values: new Map(named === null ? others : [...others, [TARGET_KEY, named]]) };
}

/** Most runs of most commands find no file: they must not pay for loading a TOML parser. */
async function readFiles(files: readonly ConfigFile[], found: TargetConfig | null = null): Promise<readonly Layer[]> {
  if (files.length === 0) return [];
  const { readTomlLayer } = await import('../text/config/toml-layer.ts');
  return files.map(({ kind, file, name }, at) => {
    const read = at === 0 && found?.kind === 'commit' ? found : readConfigFile(file);
    return 'text' in read ? readTomlLayer(kind, name, read.text) : faulty(kind, name, read.fault);
  });
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
  if (edit.text !== before.text) rewrite(file, edit.text);
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
    return !['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '');
  }
}

function twins(files: readonly ConfigFile[]): Layer[] {
  const [first, second] = files.filter(({ kind }) => kind === 'repo');
  if (first === undefined || second === undefined) return [];
  return [faulty('repo', second.name, `and ${first.name} both exist; keep one of the two`)];
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

/** Also across a power cut. */
function rewrite(file: string, text: string): void {
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    replaceFile(file, text, { mode: mode & 0o777, isDurable: true });
  } catch (error) {
    throw new AppError('E_CONFIG', `${file} cannot be written: ${errnoOf(error) ?? String(error)}`, { cause: error });
  }
}

function refused(dottedKey: string, why: string, remedy: string): AppError {
  return new AppError('E_CONFIG', `${dottedKey} was not set`, { facts: [why], remedy });
}

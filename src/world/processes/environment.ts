import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { isCredential } from '../../text/credential.ts';

type UserEnvironment = Readonly<Record<string, string | undefined>>;

const ALLOWED = (
  'PATH HOME LANG LANGUAGE LC_* TERM COLORTERM TMPDIR SHELL USER LOGNAME TZ XDG_* ' +
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS ' +
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy'
).split(' ');
/** They name another checkout, or speak to git or to us in the name of whoever started us. */
const NEVER = ['PWD', 'OLDPWD', 'INIT_CWD', 'GIT_*', 'RALPH_*'];

/** An agent has no terminal: a git that opens an editor or asks for a password would wait for ever. */
const GIT_GUARDS = { GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0' };
/** Collecting garbage beside other loops loses their objects; commits must survive a power cut. */
const GIT_CONFIG = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.fsync', 'committed'],
] as const;
/** Nobody's passwords: what an agent made goes nowhere but through us. Unless the configuration names a helper for it. */
const NO_HELPERS = ['credential.helper', ''] as const;

export interface AgentEnvironmentOptions {
  /** Variables the configuration gives the agent; they win. */
  readonly set: Readonly<Record<string, string>>;
  /** Names, or prefixes ending in *, to hand on besides the usual ones. */
  readonly pass: readonly string[];
}

/** The environment of an agent: an allowlist of the user's, git guards, and what the configuration sets. */
export function agentEnvironment(user: UserEnvironment, options: AgentEnvironmentOptions): Record<string, string> {
  const allowed = [...ALLOWED, ...options.pass.flatMap((entry) => passedBy(entry, { ...user, ...options.set }))];
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(user)) {
    if (value === undefined || !matches(name, allowed) || matches(name, NEVER) || !isName(name)) continue;
    refuse(name, value, '\0');
    // Asked for by name: whoever reads it expects one line.
    if (options.pass.includes(name)) refuse(name, value, '\n');
    result[name] = value;
  }
  for (const [name, value] of Object.entries(options.set)) {
    if (!isName(name)) throw unusable(name, 'its name holds more than letters, digits and underscores');
    refuse(name, value, '\0');
    refuse(name, value, '\n');
  }
  return { ...result, ...GIT_GUARDS, ...options.set, ...gitConfig(options.set) };
}

/** The pattern of `PATTERN if VARIABLE`, where that variable switches something on. */
function passedBy(entry: string, env: UserEnvironment): readonly string[] {
  const [pattern = '', , variable] = entry.split(' ');
  const isOn = variable === undefined || !['', '0', 'false', undefined].includes(env[variable]?.toLowerCase());
  return isOn ? [pattern] : [];
}

/** The user's environment for what is theirs, but for what would lead git or paralph to another checkout. */
export function ownEnvironment(user: UserEnvironment): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !matches(name, NEVER)) result[name] = value;
  }
  return result;
}

/**
 * The environment of gates, and of all else that runs what agents wrote: the user's own without their credentials. `pass`: names,
 * or prefixes ending in *, that come along all the same.
 */
export function gateEnvironment(user: UserEnvironment, pass: readonly string[]): Record<string, string> {
  const kept = Object.entries(ownEnvironment(user)).filter(
    ([name, value]) => matches(name, pass) || !isCredential(name, value),
  );
  return Object.fromEntries(kept);
}

/** The names of the user's variables that gates do not get because they look like credentials. */
export function leftOutOfGates(user: UserEnvironment, pass: readonly string[]): readonly string[] {
  const kept = gateEnvironment(user, pass);
  return Object.keys(ownEnvironment(user)).filter((name) => !(name in kept));
}

/** These tell of a terminal, a login or how we were started, and differ between two windows of the same person. */
const PASSING = (
  '_ SHLVL PS1 PROMPT_COMMAND TERM TERM_* TERMCAP COLORTERM COLORFGBG COLUMNS LINES LS_COLORS HISTFILE WINDOW WINDOWID STY ' +
  'LC_TERMINAL* TMUX* SSH_* GPG_TTY GPG_AGENT_INFO DISPLAY WAYLAND_* XAUTHORITY DBUS_* DESKTOP_* SESSION_MANAGER ' +
  'XDG_SESSION_* XDG_SEAT* XDG_VTNR XDG_RUNTIME_DIR XDG_ACTIVATION_TOKEN INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID ' +
  'MANAGERPID SECURITYSESSIONID XPC_* __CF* ITERM_* KITTY_* ALACRITTY_* WEZTERM_* GHOSTTY_* KONSOLE_* VTE_VERSION ' +
  'GNOME_TERMINAL_* WT_SESSION WT_PROFILE_ID WSL_INTEROP VSCODE_* ZELLIJ* DIRENV_* SUDO_* ' +
  'npm_lifecycle_* npm_package_* npm_command npm_execpath npm_node_execpath'
).split(' ');
const HASH_DIGITS = 12;

/** Names the surroundings gates run in: what was green in one need not be green in another. */
export function environmentHash(env: UserEnvironment, pass: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.platform}\0${process.arch}\0${process.version}\0`);
  for (const [name, value] of Object.entries(gateEnvironment(env, pass)).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (!matches(name, PASSING)) hash.update(`${name}\0${value}\0`);
  return hash.digest('hex').slice(0, HASH_DIGITS);
}

/** Where programs are looked for when nobody says. */
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Where a command is, or null when it cannot be run. */
export function findExecutable(name: string, env: UserEnvironment, cwd: string): string | null {
  return lookUpExecutable(name, env, cwd).path;
}

/** As findExecutable, and tells a file that may not be run from one that is not there. */
export function lookUpExecutable(
  name: string,
  env: UserEnvironment,
  cwd: string,
): { readonly path: string | null; readonly denied: boolean } {
  if (name === '' || name.includes('\0')) return { path: null, denied: false };
  // Relative PATH entries are skipped: a worktree must not be able to supply the agent that works in it.
  const folders = (env['PATH'] ?? DEFAULT_PATH).split(':').filter((folder) => isAbsolute(folder));
  const places = name.includes('/') ? [resolve(cwd, name)] : folders.map((folder) => join(folder, name));
  const present = places.filter(isFile);
  return { path: present.find(isExecutable) ?? null, denied: present.length > 0 };
}

/** In a folder of the PATH that may not be looked into there is nothing to run either. */
function isFile(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** Our settings follow any the configuration already gives, since git reads them by number. */
function gitConfig(set: Readonly<Record<string, string>>): Record<string, string> {
  const given = Number.parseInt(set['GIT_CONFIG_COUNT'] ?? '0', 10);
  const first = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const hasHelper = Object.entries(set).some(
    ([name, key]) => name.startsWith('GIT_CONFIG_KEY_') && /^credential\./i.test(key),
  );
  const settings = hasHelper ? GIT_CONFIG : [...GIT_CONFIG, NO_HELPERS];
  const result: Record<string, string> = { GIT_CONFIG_COUNT: String(first + settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    result[`GIT_CONFIG_KEY_${first + index}`] = key;
    result[`GIT_CONFIG_VALUE_${first + index}`] = value;
  }
  return result;
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}

/** A shell stands between us and the agent, and shells drop variables they could not name. */
function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

function refuse(name: string, value: string, character: '\0' | '\n'): void {
  if (value.includes(character)) throw unusable(name, `its value holds a ${character === '\0' ? 'NUL' : 'newline'}`);
}

function unusable(name: string, why: string): AppError {
  return new AppError('E_ENVIRONMENT', `the variable ${JSON.stringify(name)} cannot be passed to the agent: ${why}`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

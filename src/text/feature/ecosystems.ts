/** What a project is made with, and how what it depends on is installed. */
export interface Ecosystem {
  readonly name: string;
  /** The file it was known by. */
  readonly found: string;
  /** One after the other, each a program and its arguments. With a lock file they take what that says, or fail. */
  readonly commands: readonly (readonly string[])[];
  /** The file that says which versions; null: nothing does. */
  readonly lock: string | null;
  /** Where the commands install into, as in .gitignore; none: outside of the project. */
  readonly installs: readonly string[];
  /** Where its own tool builds into. */
  readonly builds: readonly string[];
}

type Commands = readonly (readonly string[])[];

interface Rule {
  readonly name: string;
  /** One of these must be there; a star stands for anything. */
  readonly files: readonly string[];
  /** With one of these the first commands are run, else the second. */
  readonly locks: readonly string[];
  readonly locked: Commands;
  readonly open: Commands;
  /** Of rules in one family only the first that fits counts. */
  readonly family?: 'javascript' | 'python';
  /** What is known by its lock file alone. */
  readonly needsLock?: boolean;
  /** What decides the commands is a program that comes with the project, and locks no versions. */
  readonly isWrapped?: boolean;
  readonly installs?: readonly string[];
  readonly builds?: readonly string[];
}

const one = (...command: readonly string[]): Commands => [command];
const PACKAGE = ['package.json'];
const MODULES = ['node_modules'];
const VENV = ['.venv'];

const RULES: readonly Rule[] = [
  {
    name: 'pnpm',
    files: PACKAGE,
    locks: ['pnpm-lock.yaml'],
    locked: one('pnpm', 'install', '--frozen-lockfile'),
    open: one('pnpm', 'install', '--no-lockfile'),
    family: 'javascript',
    needsLock: true,
    installs: MODULES,
  },
  {
    name: 'bun',
    files: PACKAGE,
    locks: ['bun.lock', 'bun.lockb'],
    locked: one('bun', 'install', '--frozen-lockfile'),
    open: one('bun', 'install', '--no-save'),
    family: 'javascript',
    needsLock: true,
    installs: MODULES,
  },
  {
    name: 'yarn-berry',
    files: ['.yarnrc.yml'],
    locks: ['yarn.lock'],
    locked: one('yarn', 'install', '--immutable'),
    open: one('yarn', 'install'),
    family: 'javascript',
    installs: ['node_modules', '.yarn/cache', '.yarn/unplugged', '.yarn/install-state.gz', '.pnp.*'],
  },
  {
    name: 'yarn',
    files: PACKAGE,
    locks: ['yarn.lock'],
    locked: one('yarn', 'install', '--frozen-lockfile'),
    open: one('yarn', 'install', '--no-lockfile'),
    family: 'javascript',
    needsLock: true,
    installs: MODULES,
  },
  {
    name: 'npm',
    files: PACKAGE,
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    locked: one('npm', 'ci'),
    open: one('npm', 'install', '--no-package-lock'),
    family: 'javascript',
    installs: MODULES,
  },
  {
    name: 'deno',
    files: ['deno.json', 'deno.jsonc'],
    locks: ['deno.lock'],
    locked: one('deno', 'install', '--frozen'),
    open: one('deno', 'install', '--no-lock'),
    installs: MODULES,
  },
  {
    name: 'uv',
    files: ['pyproject.toml'],
    locks: ['uv.lock'],
    locked: one('uv', 'sync', '--locked'),
    open: one('uv', 'sync'),
    family: 'python',
    needsLock: true,
    installs: VENV,
  },
  {
    name: 'poetry',
    files: ['pyproject.toml'],
    locks: ['poetry.lock'],
    locked: one('poetry', 'install', '--no-interaction'),
    open: one('poetry', 'install', '--no-interaction'),
    family: 'python',
    needsLock: true,
    installs: VENV,
  },
  {
    name: 'pipenv',
    files: ['Pipfile'],
    locks: ['Pipfile.lock'],
    locked: one('pipenv', 'sync', '--dev'),
    open: one('pipenv', 'install', '--dev', '--skip-lock'),
    family: 'python',
    installs: VENV,
  },
  {
    name: 'conda',
    files: ['environment.yml', 'environment.yaml'],
    locks: [],
    locked: [],
    open: one('conda', 'env', 'update', '--file', '{found}'),
    family: 'python',
  },
  {
    name: 'pip',
    files: ['requirements.txt'],
    locks: ['requirements.txt'],
    locked: [
      ['python3', '-m', 'venv', '.venv'],
      ['.venv/bin/python', '-m', 'pip', 'install', '--requirement', 'requirements.txt'],
    ],
    open: [],
    family: 'python',
    installs: VENV,
  },
  {
    name: 'cargo',
    files: ['Cargo.toml'],
    locks: ['Cargo.lock'],
    locked: one('cargo', 'fetch', '--locked'),
    open: one('cargo', 'fetch'),
    builds: ['target'],
  },
  {
    name: 'go',
    files: ['go.mod'],
    locks: ['go.sum'],
    locked: one('go', 'mod', 'download'),
    open: one('go', 'mod', 'download'),
  },
  {
    name: 'bundler',
    files: ['Gemfile'],
    locks: ['Gemfile.lock'],
    locked: one('env', 'BUNDLE_FROZEN=true', 'bundle', 'install'),
    open: one('bundle', 'install'),
    installs: ['vendor/bundle', '.bundle'],
  },
  {
    name: 'composer',
    files: ['composer.json'],
    locks: ['composer.lock'],
    locked: one('composer', 'install', '--no-interaction'),
    open: one('composer', 'install', '--no-interaction'),
    installs: ['vendor'],
  },
  {
    name: 'swift',
    files: ['Package.swift'],
    locks: ['Package.resolved'],
    locked: one('swift', 'package', 'resolve', '--force-resolved-versions'),
    open: one('swift', 'package', 'resolve'),
    builds: ['.build'],
  },
  {
    name: 'cmake',
    files: ['CMakeLists.txt'],
    locks: [],
    locked: [],
    open: one('cmake', '-S', '.', '-B', 'build'),
    builds: ['build'],
  },
  {
    name: 'gradle',
    files: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    locks: ['gradlew'],
    locked: one('./gradlew', '--quiet', 'dependencies'),
    open: one('gradle', '--quiet', 'dependencies'),
    isWrapped: true,
    builds: ['build', '.gradle'],
  },
  {
    name: 'maven',
    files: ['pom.xml'],
    locks: ['mvnw'],
    locked: one('./mvnw', '--quiet', '--batch-mode', 'dependency:go-offline'),
    open: one('mvn', '--quiet', '--batch-mode', 'dependency:go-offline'),
    isWrapped: true,
    builds: ['target'],
  },
  {
    name: 'mix',
    files: ['mix.exs'],
    locks: ['mix.lock'],
    locked: one('mix', 'deps.get', '--check-locked'),
    open: one('mix', 'deps.get'),
    installs: ['deps'],
    builds: ['_build'],
  },
  {
    name: 'dotnet',
    files: ['*.sln', '*.slnx', '*.csproj', '*.fsproj'],
    locks: ['packages.lock.json'],
    locked: one('dotnet', 'restore', '--locked-mode'),
    open: one('dotnet', 'restore'),
    builds: ['bin', 'obj'],
  },
];

/** Every file that says which versions are installed. */
export const LOCK_FILES: ReadonlySet<string> = new Set(RULES.flatMap((rule) => (rule.isWrapped ? [] : rule.locks)));

/** What the files at the top of a project say it is made with. `packageManager` is what package.json names, where it does. */
export function ecosystemsOf(names: readonly string[], packageManager: string | null = null): readonly Ecosystem[] {
  const there = new Set(names);
  const named = packageManager?.split('@')[0] ?? null;
  const wanted = RULES.some(({ name, family }) => family === 'javascript' && name === named) ? named : null;
  const found = RULES.flatMap((rule) => {
    const ecosystem = match(rule, names, there, wanted);
    return ecosystem === null ? [] : [{ ecosystem, family: rule.family ?? null }];
  });
  return found
    .filter(({ family }, at) => family === null || found.findIndex((other) => other.family === family) === at)
    .map(({ ecosystem }) => ecosystem);
}

function match(
  rule: Rule,
  names: readonly string[],
  there: ReadonlySet<string>,
  wanted: string | null,
): Ecosystem | null {
  const manifest = rule.files.map((file) => names.find((name) => isCalled(file, name))).find((name) => name != null);
  if (manifest === undefined) return null;
  const lock = rule.locks.find((name) => there.has(name));
  // package.json may name its own tool; then the lock files of others are leftovers.
  if (rule.family === 'javascript' && wanted !== null && wanted !== rule.name.replace('-berry', '')) return null;
  if (rule.needsLock === true && lock === undefined && wanted !== rule.name) return null;
  const commands = lock === undefined ? rule.open : rule.locked;
  const filled = commands.map((command) => command.map((word) => (word === '{found}' ? manifest : word)));
  const { installs = [], builds = [], isWrapped = false } = rule;
  const known = { name: rule.name.replace('-berry', ''), found: lock ?? manifest, commands: filled };
  return { ...known, lock: isWrapped ? null : (lock ?? null), installs, builds };
}

const isCalled = (pattern: string, name: string): boolean =>
  pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) && name !== pattern.slice(1) : name === pattern;

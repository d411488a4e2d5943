import { lexShell } from './lex.ts';
import type { Token } from './lex.ts';

/** What gate commands speak of, as paths from the root of the repository; whether it is there is for others to ask. */
interface NamedByGates {
  /** Words that may be the path of a file. */
  readonly files: readonly string[];
  /** Scripts they call, each with the `package.json` that would hold it. */
  readonly scripts: readonly CalledScript[];
  /** Files that `make` and `just` read by themselves. */
  readonly recipes: readonly string[];
}

interface CalledScript {
  readonly manifest: string;
  readonly name: string;
}

/** They look at files or move them about: what they name is what a gate is about, not what it is. */
const LOOKS = new Set(
  (
    'test [ [[ grep egrep fgrep rg cat ls diff cmp head tail wc sort uniq cut tr stat file find echo printf rm cp mv mkdir touch ' +
    'rmdir ln tee sed jq yq git true false prettier eslint oxlint biome stylelint shellcheck ruff mypy flake8 black pylint ' +
    'gcc g++ cc c++ clang clang++ rustc javac'
  ).split(' '),
);
/** The same for a program that is told to read and not to run. */
const ONLY_LOOKS = /^(?:--check|--syntax-check|py_compile|compileall)$/;
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
};
/** Words before the program that say how it is run. */
const BEFORE = new Set(
  '! { if then elif else while until do time env command exec nohup nice sudo timeout npx bunx uvx xvfb-run'.split(' '),
);
const FOLDER_FLAG = /^(?:-C|--prefix|--cwd|--dir|--directory|-d|--working-directory)(?:=(.*))?$/;
const RUNS_SCRIPT = new Set(['run', 'run-script', 'rum', 'urn']);
const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };
const INSTALLS = new Set(['ci', 'install', 'i', 'clean-install']);
const ON_INSTALL = ['preinstall', 'install', 'postinstall', 'prepare'];

export function namedByGates(commands: readonly string[]): NamedByGates {
  const found = { files: new Set<string>(), scripts: new Map<string, CalledScript>(), recipes: new Set<string>() };
  for (const command of commands) readLine(command, '', found);
  return { files: [...found.files], scripts: [...found.scripts.values()], recipes: [...found.recipes] };
}

interface Found {
  readonly files: Set<string>;
  readonly scripts: Map<string, CalledScript>;
  readonly recipes: Set<string>;
}

/** `folder`: where the line begins; a `cd` in it leads on. */
function readLine(line: string, folder: string, found: Found): void {
  const folders = [folder];
  let words: Token[] = [];
  const end = (): void => {
    const moved = readCommand(words, folders.at(-1) ?? '', found);
    if (moved !== null) folders[folders.length - 1] = moved;
    words = [];
  };
  for (const token of lexShell(line)) {
    if (token.kind === 'word' || /[<>]/.test(token.text)) words.push(token);
    else {
      end();
      if (token.text === '(') folders.push(folders.at(-1) ?? '');
      if (token.text === ')' && folders.length > 1) folders.pop();
    }
  }
  end();
}

/** One program with its words. Where the shell stands afterwards, if that has changed. */
function readCommand(tokens: readonly Token[], folder: string, found: Found): string | null {
  const words = tokens.filter(({ kind }, at) => kind === 'word' && !isOutput(tokens[at - 1]));
  for (const { inner } of words) for (const line of inner) readLine(line, folder, found);
  const program = words.findIndex(({ text }) => !BEFORE.has(text) && !/^(?:\w+=|-|\d+[smh]?$)/.test(text));
  const name = (words[program]?.text ?? '').replace(/^.*\//, '');
  const plain = words
    .slice(Math.max(0, program))
    .filter(({ isPlain }) => isPlain)
    .map(({ text }) => text);
  if (name === 'cd') return plain[1] === undefined ? null : pathFrom(folder, plain[1]);
  if (LOOKS.has(name) || plain.some((text) => ONLY_LOOKS.test(text)) || (SHELLS.has(name) && plain.includes('-n')))
    return null;
  for (const text of plain) {
    const path = pathFrom(folder, text.replace(/^-{1,2}[\w-]+=/, ''));
    // Of this one only scripts are part of a gate.
    if (path !== null && path !== '' && !path.endsWith('package.json')) found.files.add(path);
  }
  const texts = words.map(({ text }) => text);
  const script = SHELLS.has(name) ? texts.findIndex((text) => /^-\w*c$/.test(text)) : -1;
  if (script !== -1) readLine(texts[script + 1] ?? '', folder, found);
  for (const [at, text] of texts.entries()) {
    const tool = text.replace(/^.*\//, '');
    if (MANAGERS.has(tool)) readManager(tool, texts.slice(at + 1), folder, found);
    for (const recipe of (Object.hasOwn(RECIPES, tool) ? RECIPES[tool] : undefined) ?? [])
      found.recipes.add(pathFrom(folderOf(texts.slice(at + 1), folder), recipe) ?? recipe);
  }
  return null;
}

const isOutput = (before: Token | undefined): boolean => before?.kind === 'operator' && before.text.includes('>');

function readManager(tool: string, args: readonly string[], folder: string, found: Found): void {
  const manifest = pathFrom(folderOf(args, folder), 'package.json');
  const [verb = '', ...rest] = withoutFlags(args);
  const names = RUNS_SCRIPT.has(verb)
    ? rest.slice(0, 1)
    : INSTALLS.has(verb)
      ? ON_INSTALL
      : tool === 'bun'
        ? []
        : [SHORT[verb] ?? verb];
  if (manifest === null) return;
  for (const name of names.flatMap((each) => [`pre${each}`, each, `post${each}`]))
    found.scripts.set(`${manifest}#${name}`, { manifest, name });
}

function folderOf(args: readonly string[], folder: string): string {
  const at = args.findIndex((text) => FOLDER_FLAG.test(text));
  const given = at === -1 ? undefined : (FOLDER_FLAG.exec(args[at] ?? '')?.[1] ?? args[at + 1]);
  return given === undefined ? folder : (pathFrom(folder, given) ?? folder);
}

const withoutFlags = (args: readonly string[]): readonly string[] =>
  args.filter((text, at) => !text.startsWith('-') && !/^(?:-C|--prefix|--cwd|--dir)$/.test(args[at - 1] ?? ''));

/** A path from the root; null: it is none, or leads out. */
function pathFrom(folder: string, text: string): string | null {
  if (text.startsWith('/') || text.startsWith('-') || text.includes('\0')) return null;
  const parts: string[] = [];
  for (const part of `${folder}/${text}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

type Scripts = Readonly<Record<string, unknown>>;

/**
 * The scripts of one `package.json` that gates call, directly or through each other, and that are other or gone in `after`.
 * Scripts that `before` does not have define no gate yet.
 */
export function changedScripts(
  called: readonly CalledScript[],
  manifest: string,
  before: string | null,
  after: string | null,
): readonly string[] {
  const [had, has] = [scriptsOf(before), scriptsOf(after)];
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name) || !Object.hasOwn(had, name)) return;
    names.add(name);
    for (const script of namedByGates([String(had[name])]).scripts)
      if (script.manifest === 'package.json') add(script.name);
  };
  for (const script of called) if (script.manifest === manifest) add(script.name);
  return [...names].filter((name) => !Object.hasOwn(has, name) || had[name] !== has[name]);
}

function scriptsOf(text: string | null): Scripts {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: Scripts };
    return typeof scripts === 'object' && scripts !== null ? scripts : {};
  } catch {
    return {};
  }
}

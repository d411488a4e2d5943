import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { EXIT } from '../../../src/core/model/errors.ts';
import { runCli } from '../../../src/faces/cli/cli.ts';
import type { CommandSpec, FlagSpec } from '../../../src/faces/cli/tables/command-spec.ts';
import { COMMANDS } from '../../../src/faces/cli/tables/table.ts';
import { bundle } from '../harness/bundle.ts';
import { refsBelow } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Result } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

/** Is in every hostile text, so that whatever is named after one is found. */
const MARK = 'zqx';
const CALL_MS_MAX = 60_000;

const hostile = (canary: string): readonly string[] => [
  `${MARK};touch ${canary} $(touch ${canary})\`touch ${canary}\`' "; touch ${canary}; '`,
  `../${MARK}-out`,
  `${MARK}/../../${MARK}-up`,
  `${MARK}\nsecond\u001b[2J\u202e\r`,
  `-${MARK}`,
  MARK + 'a'.repeat(297),
  `${MARK}-ünï-日本語-🎉`,
  '',
];

/** For what is asked of every flag. */
const few = (canary: string): readonly string[] => [
  worst(canary),
  `../${MARK}-out`,
  `${MARK}-ünï-日本語-${'a'.repeat(290)}`,
];

/** Everything bad at once, for where each call costs a process. */
const worst = (canary: string): string => `${MARK}' "$(touch ${canary});\`touch ${canary}\`\n../../${MARK}\u001b[2J`;

/** These start agents, servers or shells, so they get a process of their own. */
const isStarting = ({ name }: CommandSpec): boolean => /^(run|start|mcp|demo|loops (attach|resume|retry))$/.test(name);

/** What is typed where a file or folder is wanted may be made, whatever its name. */
const isPath = (flag: FlagSpec): boolean => /<(dir|file|folder|path)>/i.test(flag.flag);

const wanted = (spec: CommandSpec): readonly string[] => spec.argument?.name.split(' ') ?? [];
const valued = (spec: CommandSpec): readonly FlagSpec[] => spec.flags.filter(({ flag }) => flag.includes('<'));
const longOf = ({ flag }: FlagSpec): string => /--([a-z-]+)/.exec(flag)?.[1] ?? '';

/** The whole command line in this very process: a process for each would take minutes. */
async function inProcess(one: Scratch, words: readonly string[]): Promise<Pick<Result, 'code' | 'stderr'>> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const asTerminal = (stream: PassThrough): NodeJS.WriteStream => stream as unknown as NodeJS.WriteStream;
  let said = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  stdout.resume();
  const streams = { stdout: asTerminal(stdout), stderr: asTerminal(stderr) } as Pick<
    NodeJS.Process,
    'stdout' | 'stderr'
  >;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`ralph ${words.join(' ')} did not end`)), CALL_MS_MAX);
  });
  const acted = runCli(['-C', one.repo, ...words], 'test', streams);
  const code = await Promise.race([acted, late]).finally(() => clearTimeout(timer));
  return { code, stderr: said };
}

/** What is wrong with how a command took a hostile text. */
function complaints({ code, stderr }: Pick<Result, 'code' | 'stderr'>): readonly string[] {
  const found: string[] = [];
  const known: readonly (number | null)[] = Object.values(EXIT);
  if (!known.includes(code) || code === EXIT.bug) found.push(`exit code ${code}`);
  const remedy = /^fix: (.*)$/m.exec(stderr)?.[1];
  if (code !== EXIT.ok && code !== EXIT.parked && remedy === undefined) found.push('no remedy');
  if (remedy !== undefined && wouldExecute(remedy)) found.push(`a remedy that executes it: ${remedy}`);
  return found;
}

/** A remedy is there to be pasted: in a word that carries a hostile text, nothing may mean something to a shell. */
function wouldExecute(remedy: string): boolean {
  const quoted = remedy.replaceAll(/'[^']*'|\\'/g, (part) => (part.includes(MARK) ? `'${MARK}'` : "''"));
  return quoted.split(/\s+/).some((word) => word.includes(MARK) && /[;$`|&<>()"\\!*?]/.test(word));
}

/** Everything below the scratch folder whose name carries the mark, git's objects left out. */
function marked(one: Scratch): readonly string[] {
  const found: string[] = [];
  const look = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.name.includes(MARK)) found.push(relative(one.root, path));
      else if (entry.isDirectory() && entry.name !== 'objects') look(path);
    }
  };
  look(one.root);
  return [...found, ...refsBelow(one.git, 'refs/').filter((ref) => ref.includes(MARK))];
}

const OURS = /^(repo\/\.ralph\/|repo\/\.git\/|refs\/|home\/worktrees\/)/;
const HARMLESS = /^(?!-)(?:[\w.-]|[^\0-\x7f\p{C}])+$/u;

/** Names that come of a text are allowed where we make names, if they mean nothing to a shell. */
const isPromised = (path: string): boolean =>
  OURS.test(path) &&
  path.split('/').every((part) => !part.includes(MARK) || (HARMLESS.test(part) && part.length <= 200));

const saved = { env: { ...process.env }, cwd: process.cwd(), program: process.argv[1] ?? '' };
let one: Scratch;
let canary = '';
let keep = '';

/** A project with a task that is ready and one that was thrown away, so that there is something for every id to miss. */
beforeEach(async () => {
  one = scratch();
  canary = beside(one, 'canary');
  project(one, {
    tasks: ['alpha', 'beta'],
    agent: [{ write: { path: 'made.txt', text: 'made\n' } }, { claim: true }],
    config: { parallel: { merge_policy: 'manual' } },
  });
  for (const name of Object.keys(process.env).filter((key) => /^(RALPH_|GIT_)/.test(key))) delete process.env[name];
  Object.assign(process.env, one.env);
  // What starts the program again finds it by this.
  process.argv[1] = bundle().main;
  expect((await ralph(one, ['run', '--parallel', '--max-workers', '2'])).code).toBe(0);
  const { stdout } = await ralph(one, ['loops', 'discard', 'beta', '-y', '--json']);
  keep = (JSON.parse(stdout) as { kept: string }).kept;
});

afterEach(() => {
  process.chdir(saved.cwd);
  process.argv[1] = saved.program;
  for (const name of Object.keys(process.env)) if (!(name in saved.env)) delete process.env[name];
  Object.assign(process.env, saved.env);
});

/** Something that is there, for what stands beside a hostile flag; and nothing is done where one may say so. */
const soundWords = (spec: CommandSpec): readonly string[] => [
  ...spec.name.split(' '),
  ...wanted(spec).map((name) => (spec.name.startsWith('keep ') ? keep : name.includes('key') ? 'agent' : 'alpha')),
  ...spec.flags.map(({ flag }) => flag).filter((flag) => /^--(dry-run|print)$/.test(flag)),
];

const taking = COMMANDS.filter((spec) => wanted(spec).length > 0 || valued(spec).length > 0);
/** What has a flag for it starts nothing, and can be asked here. */
const tame = (spec: CommandSpec): readonly string[] =>
  isStarting(spec) ? spec.flags.map(({ flag }) => flag).filter((flag) => /^--(dry-run|print)$/.test(flag)) : [];
const quick = taking.filter((spec) => !isStarting(spec) || tame(spec).length > 0);
/** What many commands share is the same thing in each: once will do. */
const ownFlags = (spec: CommandSpec): readonly FlagSpec[] =>
  valued(spec).filter((flag) => quick.find(({ flags }) => flags.includes(flag)) === spec);

describe('hostile names', () => {
  it('are inert or refused with a remedy, as argument or flag of every command', async () => {
    const problems: string[] = [];
    const seen = new Set<string>();
    const judge = (words: readonly string[], result: Pick<Result, 'code' | 'stderr'>): void => {
      const [first] = result.stderr.split('\n');
      for (const problem of complaints(result)) problems.push(`${JSON.stringify(words)}: ${problem} (${first})`);
      if (existsSync(canary)) problems.push(`${JSON.stringify(words)}: EXECUTED`);
    };
    const lookAround = (what: string, isAllowed: (path: string) => boolean): void => {
      const made = marked(one).filter((name) => !seen.has(name));
      for (const path of made) seen.add(path);
      problems.push(...made.filter((path) => !isAllowed(path)).map((path) => `${what}: made ${path}`));
    };
    for (const spec of quick) {
      const asArgument = (wanted(spec).length === 0 ? [] : hostile(canary)).map((text) => [
        ...spec.name.split(' '),
        ...tame(spec),
        '--',
        ...wanted(spec).map(() => text),
      ]);
      const asFlag = (flags: readonly FlagSpec[]): readonly (readonly string[])[] =>
        flags.flatMap((flag) => few(canary).map((text) => [...soundWords(spec), `--${longOf(flag)}=${text}`]));
      const [paths, others] = [ownFlags(spec).filter(isPath), ownFlags(spec).filter((flag) => !isPath(flag))];
      for (const words of [...asArgument, ...asFlag(others)]) judge(words, await inProcess(one, words));
      lookAround(spec.name, isPromised);
      for (const words of asFlag(paths)) judge(words, await inProcess(one, words));
      if (paths.length > 0) lookAround(spec.name, () => true);
    }
    expect(quick.length).toBeGreaterThan(20);

    const argued = taking.filter((spec, at) => wanted(spec).length > 0 && (isStarting(spec) || at % 14 === 0));
    const spawned = argued.flatMap((spec) =>
      [worst(canary), ...(isStarting(spec) ? [`-${MARK}`] : [])].map((text) => [
        ...spec.name.split(' '),
        ...wanted(spec).map(() => text),
      ]),
    );
    spawned.push(['-C', worst(canary), 'status'], ['mcp', '--loop', worst(canary), '--iteration', '1', '--token', 'x']);
    await Promise.all(
      spawned.map(async (words) => judge(words, await ralph(one, words, { isCheckoutGuarded: false }))),
    );
    lookAround('the program itself', isPromised);
    expect(problems).toEqual([]);
  });
});

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/model/errors.ts';
import type { Call } from '../../../src/faces/call/handler.ts';
import { openOutput } from '../../../src/faces/call/output.ts';
import { type Parameter, type Tool, givenTo } from '../../../src/faces/mcp/tool.ts';
import { toolCalled } from '../../../src/faces/mcp/tools.ts';
import { WORKTREE_TOOLS } from '../../../src/faces/mcp/worktree-tools.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

interface Told {
  readonly success: boolean;
  readonly worktree_path: string | null;
  readonly branch: string | null;
  readonly setup_complete: boolean;
  readonly setup_messages: readonly string[];
  readonly next_steps: readonly string[];
  readonly error?: string;
  readonly [more: string]: unknown;
}

let repo: ScratchRepo;
let outer = '';
let home = '';
beforeEach(() => {
  repo = scratchRepo({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.env\nnode_modules\n' } });
  outer = dirname(repo.dir);
  home = join(outer, 'home');
  mkdirSync(home);
});
afterEach(() => repo.remove());

/** One tool as the server calls it: refusals are answers. */
async function tool(name: string, args: Readonly<Record<string, unknown>> = {}, cwd = repo.dir): Promise<Told> {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const env = { ...process.env, HOME: home, RALPH_LOOP_ID: '' };
  const call: Call = {
    args: [],
    flags: {},
    settings: new Map(),
    cwd,
    env,
    out: openOutput(env, stream, stream),
    words: ['mcp'],
    flagOf: new Map(),
  };
  const place = { cwd, env, claim: null };
  const found = toolCalled(place, name);
  if (found === null) throw new Error(`no tool ${name}`);
  try {
    return JSON.parse((await found.call(call, place, givenTo(found, args))).text) as Told;
  } catch (error) {
    if (!(error instanceof AppError) || found.refused === undefined) throw error;
    return JSON.parse(found.refused(error).text) as Told;
  }
}

function commitIn(path: string, file: string): string {
  writeFileSync(join(path, file), file);
  gitIn(path, 'add', '-A');
  gitIn(path, 'commit', '-q', '-m', file);
  return gitIn(path, 'rev-parse', 'HEAD');
}

const keeps = (): readonly string[] =>
  repo
    .git('for-each-ref', '--format=%(refname)', 'refs/paralph/keep/')
    .split('\n')
    .filter((ref) => ref !== '');

describe('worktree tools', () => {
  it('make a worktree, tell the truth about it without an upstream, and take it away only once it is kept', async () => {
    repo.write('.env', 'SECRET=1\n');
    const made = await tool('worktree_start', { feature_name: 'login', task_description: "it's $(touch x)" });
    const path = join(home, 'worktrees/login');
    expect(made).toMatchObject({ success: true, worktree_path: path, branch: 'feature/login', setup_complete: true });
    expect(made.next_steps.at(-1)).toBe(`cd ${path} && ralph run -- 'it'\\''s $(touch x)'`);
    expect(existsSync(join(path, '.env'))).toBe(true);
    expect(await tool('worktree_start', { feature_name: 'login' })).toMatchObject({ success: true, reused: true });

    writeFileSync(join(path, 'a.txt'), 'changed\n');
    writeFileSync(join(path, 'b.txt'), 'staged\n');
    gitIn(path, 'add', 'b.txt');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    const status = { uncommitted_changes: 2, untracked_files: 1, ahead: 0, behind: 0 };
    const counts = { clean: false, staged: 1, modified: 1, untracked: 1, conflicts: 0, upstream: null, status };
    expect(await tool('worktree_status', { name: 'login' })).toMatchObject({ success: true, ...counts });
    expect(await tool('worktree_status', {}, path)).toMatchObject({ worktree_path: path, ...counts });
    const { worktrees } = await tool('worktree_list', { include_status: true });
    expect(worktrees).toMatchObject([
      { is_main: true, clean: true },
      { name: 'login', owner: 'feature', ...counts },
    ]);

    const refused = await tool('worktree_cleanup', { worktree_path: path });
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining('E_UNLANDED') as unknown });
    expect(refused.next_steps[0]).toContain('--force');
    expect(existsSync(join(path, 'new.txt'))).toBe(true);
    const forced = await tool('worktree_cleanup', { worktree_path: path, force: true });
    expect(forced).toMatchObject({ success: true, removed: true, kept_files: 4, branch_deleted: true });
    expect(existsSync(path)).toBe(false);
    expect(keeps()).toHaveLength(1);
    expect(forced.next_steps[0]).toContain(`ralph keep restore ${String(forced['kept'])}`);
  });

  it('merge nothing in the checkout, and say which command does', async () => {
    const made = await tool('worktree_start', { feature_name: 'work' });
    const path = String(made.worktree_path);
    commitIn(path, 'done.txt');
    const before = [repo.git('rev-parse', 'HEAD', 'main'), repo.git('status', '--porcelain')];
    const refused = await tool('worktree_cleanup', { name: 'work', auto_merge: true, force: true });
    expect(refused.success).toBe(false);
    expect(refused.next_steps).toEqual([`git -C ${repo.dir} merge --no-ff feature/work`]);
    expect([repo.git('rev-parse', 'HEAD', 'main'), repo.git('status', '--porcelain')]).toEqual(before);
    expect(await tool('worktree_cleanup', { name: 'work', target_branch: 'other' })).toMatchObject({ success: false });
    repo.git('merge', '-q', '--no-ff', 'feature/work');
    const gone = await tool('worktree_cleanup', { name: 'work', auto_merge: true, target_branch: 'main' });
    expect(gone).toMatchObject({ success: true, branch_deleted: true });
    expect(await tool('worktree_cleanup', { name: 'repo', force: true })).toMatchObject({ success: false });
    expect(await tool('worktree_cleanup', {})).toMatchObject({ success: false });
  });
});

const MARK = 'zqx';
const CANARY = 'canary';

/** A parameter that several tools share is read by the same lines in each: once will do. */
const ownParameters = (tool: Tool): readonly Parameter[] =>
  tool.parameters.filter(
    (one) => one.kind !== 'flag' && WORKTREE_TOOLS.find(({ parameters }) => parameters.includes(one)) === tool,
  );

/** What else each needs to come as far as the hostile argument. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  worktree_start: { feature_name: 'further' },
  worktree_cleanup: { name: 'sound' },
};

describe('hostile texts', () => {
  it('are inert or refused, in every argument of every tool', async () => {
    const canary = join(outer, CANARY);
    const texts = [
      `${MARK}' ";touch ${canary};'$(touch ${canary})\`touch ${canary}\``,
      `../${MARK}`,
      `${MARK}\nsecond\u0000\u001b[2J`,
      `--upload-pack=touch ${canary} ${MARK}`,
      MARK + 'a'.repeat(300),
      `${MARK}-ünï-日本語-🎉\u202e`,
      '',
    ];
    await tool('worktree_start', { feature_name: 'sound' });
    const before = repo.git('rev-parse', 'main', 'HEAD');
    const [asked, strange] = [new Set<string>(), [] as string[]];
    for (const each of WORKTREE_TOOLS)
      for (const parameter of ownParameters(each))
        for (const text of texts) {
          const isPath = parameter.name.endsWith('_path');
          const value = parameter.kind === 'list' ? [text] : isPath ? `${home}/${text}` : text;
          const fresh = each.name === 'worktree_start' && isPath ? { feature_name: `fresh-${asked.size}` } : {};
          const told = await tool(each.name, { ...BESIDE[each.name], ...fresh, [parameter.name]: value });
          const what = `${each.name} ${parameter.name} ${JSON.stringify(text)}: ${JSON.stringify(told)}`;
          asked.add(`${each.name} ${parameter.name} ${isPath ? text : ''}`);
          if (existsSync(canary)) strange.push(`${what}: EXECUTED`);
          if (!told.success && (told.error?.startsWith('E_') !== true || told.next_steps.length !== 1))
            strange.push(what);
        }
    expect(strange).toEqual([]);
    expect(asked.size).toBeGreaterThan(8);
    expect(strangeNames()).toEqual([]);
    expect(repo.git('rev-parse', 'main', 'HEAD')).toBe(before);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

/** Whatever carries the mark in its name, outside of folders that were asked for and of names that mean nothing to a shell. */
function strangeNames(): readonly string[] {
  const found: string[] = [];
  const look = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.name.includes(MARK)) found.push(relative(outer, path));
      else if (entry.isDirectory() && entry.name !== 'objects') look(path);
    }
  };
  look(outer);
  const harmless = /^(?!-)(?:[\w.-]|[^\0-\x7f\p{C}])+$/u;
  const isAskedFor = (path: string): boolean => /^home\/(?!worktrees\/)|^repo\/\.git\/worktrees\//.test(path);
  const others = found.filter((path) => !isAskedFor(path));
  return others.filter((path) => !path.split('/').every((part) => !part.includes(MARK) || harmless.test(part)));
}

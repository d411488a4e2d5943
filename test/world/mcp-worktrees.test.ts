import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import type { Call } from '../../src/faces/cli/handler.ts';
import { openOutput } from '../../src/faces/cli/output.ts';
import { type Parameter, type Tool, givenTo } from '../../src/faces/mcp/tool.ts';
import { toolCalled } from '../../src/faces/mcp/tools.ts';
import { WORKTREE_TOOLS } from '../../src/faces/mcp/worktree-tools.ts';
import { type ScratchRepo, gitIn, scratchRepo } from './scratch.ts';

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

  it('move, lock, unlock, repair and prune', async () => {
    const path = String((await tool('worktree_start', { feature_name: 'one' })).worktree_path);
    const [to, hand] = [join(home, 'with space/two'), join(home, 'by hand')];
    expect(await tool('worktree_lock', { reason: '-f on a stick' }, path)).toMatchObject({ success: true });
    expect(repo.git('worktree', 'list', '--porcelain')).toContain('locked -f on a stick');
    expect(await tool('worktree_lock', { name: 'one', reason: 'paralph worktree' })).toMatchObject({ success: false });
    for (const held of ['worktree_move', 'worktree_cleanup'])
      expect(await tool(held, { name: 'one', ...(held === 'worktree_move' ? { new_path: to } : {}) })).toMatchObject({
        success: false,
        error: expect.stringContaining('is locked') as unknown,
      });
    expect(await tool('worktree_unlock', { name: 'one' })).toMatchObject({ success: true, locked: false });
    for (const bad of [`${home}/../elsewhere`, repo.dir, join(repo.dir, '.git/x'), path, join(path, 'in'), outer])
      expect([bad, (await tool('worktree_move', { name: 'one', new_path: bad })).success]).toEqual([bad, false]);
    expect(await tool('worktree_move', { name: 'one', current_path: path, new_path: to })).toMatchObject({
      error: expect.stringContaining('say which worktree') as unknown,
    });
    const places = { current_path: path, new_path: to };
    expect(await tool('worktree_move', places)).toMatchObject({ success: true, worktree_path: to, ...places });
    expect(existsSync(join(to, 'a.txt'))).toBe(true);
    expect(existsSync(path)).toBe(false);

    renameSync(to, hand);
    expect(await tool('worktree_status', { name: 'one' })).toMatchObject({ missing: true });
    expect(await tool('worktree_repair', { worktree_path: home })).toMatchObject({ success: false });
    expect(await tool('worktree_repair', { worktree_path: hand })).toMatchObject({ success: true });
    const [theirs, moved] = [join(outer, 'theirs'), join(home, 'theirs-moved')];
    gitIn(outer, 'clone', '-q', repo.dir, theirs);
    gitIn(theirs, 'worktree', 'add', '-q', join(home, 'theirs-tree'));
    renameSync(join(home, 'theirs-tree'), moved);
    const pointer = readFileSync(join(theirs, '.git/worktrees/theirs-tree/gitdir'), 'utf8');
    expect(await tool('worktree_repair', { worktree_path: moved })).toMatchObject({
      error: expect.stringContaining('no worktree of this repository') as unknown,
    });
    expect(readFileSync(join(theirs, '.git/worktrees/theirs-tree/gitdir'), 'utf8')).toBe(pointer);
    expect(await tool('worktree_status', { name: 'one' })).toMatchObject({ missing: false, worktree_path: hand });

    writeFileSync(join(hand, 'staged.txt'), 'staged\n');
    gitIn(hand, 'add', '-A');
    rmSync(hand, { recursive: true });
    expect(await tool('worktree_prune', { dry_run: true })).toMatchObject({ pruned: [{ worktree_path: hand }] });
    expect(repo.git('worktree', 'list')).toContain('by hand');
    expect(await tool('worktree_prune')).toMatchObject({ success: true, pruned: [{ branch: 'feature/one' }] });
    expect(repo.git('worktree', 'list')).not.toContain('by hand');
    expect(repo.git('rev-parse', 'feature/one')).toBe(repo.git('rev-parse', 'main'));
    expect(await tool('worktree_prune')).toMatchObject({ pruned: [] });
  });

  it('rename and delete branches, and keep what has not landed', async () => {
    const path = String((await tool('worktree_start', { feature_name: 'old' })).worktree_path);
    const rename = { old_name: 'feature/old', new_name: 'feature/new' };
    expect(await tool('worktree_rename_branch', { ...rename, new_name: 'main' })).toMatchObject({ success: false });
    expect(await tool('worktree_rename_branch', { old_name: 'main', new_name: 'x' })).toMatchObject({ success: false });
    expect(await tool('worktree_rename_branch', { ...rename, name: 'old' })).toMatchObject({ success: true });
    expect(gitIn(path, 'branch', '--show-current')).toBe('feature/new');
    await tool('worktree_start', { feature_name: 'two' });
    await tool('worktree_rename_branch', { old_name: 'feature/two', new_name: 'other' });
    // Its branch is still its own, whatever it is called now.
    expect(await tool('worktree_cleanup', { name: 'two' })).toMatchObject({ branch: 'other', branch_deleted: true });
    const tip = commitIn(path, 'work.txt');
    expect(await tool('worktree_delete_branch', { branch: 'feature/new', force: true })).toMatchObject({
      error: expect.stringContaining('is checked out') as unknown,
    });
    expect(await tool('worktree_cleanup', { name: 'old', force: true, delete_branch: false })).toMatchObject({
      branch_deleted: false,
    });
    expect(await tool('worktree_delete_branch', { branch: 'main', force: true })).toMatchObject({ success: false });
    repo.git('branch', 'ralph/a-loop');
    expect(await tool('worktree_delete_branch', { branch: 'ralph/a-loop', force: true })).toMatchObject({
      error: expect.stringContaining('belongs to a loop') as unknown,
    });
    expect(await tool('worktree_delete_branch', { branch: 'feature/new' })).toMatchObject({
      error: expect.stringContaining('E_UNLANDED') as unknown,
    });
    expect(await tool('worktree_delete_branch', { force: true })).toMatchObject({ success: false });
    const deleted = await tool('worktree_delete_branch', { branch_name: 'feature/new', force: true });
    const told = { branch_name: 'feature/new', deleted_local: true, deleted_remote: false };
    expect(deleted).toMatchObject({ success: true, unlanded: 1, ...told });
    expect(repo.git('rev-parse', `refs/paralph/keep/${String(deleted['kept'])}^`)).toBe(tip);
    expect(repo.git('branch', '--list', 'feature/new')).toBe('');
  });

  it('delete a branch of a remote only if it is called as ours and holds nothing that is not here', async () => {
    const remote = join(outer, 'remote.git');
    gitIn(outer, 'init', '-q', '--bare', remote);
    repo.git('remote', 'add', 'origin', remote);
    for (const name of ['feature/a', 'feature/b', 'theirs']) repo.git('branch', name);
    repo.git('push', '-q', 'origin', 'main', 'feature/a', 'feature/b', 'theirs');
    const other = join(outer, 'clone');
    gitIn(outer, 'clone', '-q', '-b', 'feature/b', remote, other);
    for (const [key, value] of [
      ['user.name', 'A'],
      ['user.email', 'a@b.c'],
    ] as const)
      gitIn(other, 'config', key, value);
    commitIn(other, 'more.txt');
    gitIn(other, 'push', '-q', 'origin', 'feature/b');
    const drop = (branch: string, more = {}) =>
      tool('worktree_delete_branch', { branch, delete_remote: true, ...more });
    expect(await drop('theirs')).toMatchObject({ success: false });
    expect(await drop('feature/b', { force: true })).toMatchObject({
      error: expect.stringContaining('that are not here') as unknown,
    });
    for (const remote_name of ['nobody', remote, '--upload-pack=touch x', 'ext::sh -c x'])
      expect(await drop('feature/a', { remote_name })).toMatchObject({ success: false });
    expect(await drop('feature/a')).toMatchObject({ success: true, deleted_remote: true });
    const there = gitIn(remote, 'for-each-ref', '--format=%(refname:short)');
    expect(there.split('\n')).toEqual(['feature/b', 'main', 'theirs']);
    expect(repo.git('branch', '--list', 'feature/*').trim()).toBe('feature/b');
  });

  it('find ecosystems and set them up', async () => {
    repo.write('go.mod', 'module x\n');
    repo.write('ralph.toml', '[worktree]\ninstall = "never"\nsetup = ["echo made > made.txt"]\n');
    repo.commit('project');
    const path = String((await tool('worktree_start', { feature_name: 'eco' })).worktree_path);
    expect(await tool('worktree_detect_ecosystems', { name: 'eco' })).toMatchObject({
      ecosystems: [{ name: 'go', package_manager: 'go', command: 'go mod download', commands: ['go mod download'] }],
    });
    rmSync(join(path, 'made.txt'), { force: true });
    expect(await tool('worktree_run_setup', { name: 'eco' })).toMatchObject({ setup_complete: true, failed: [] });
    expect(existsSync(join(path, 'made.txt'))).toBe(true);
    expect(await tool('worktree_run_setup', { name: 'eco', ecosystem_names: ['npm'] })).toMatchObject({
      success: false,
    });
    expect(await tool('worktree_run_setup')).toMatchObject({
      error: expect.stringContaining('main checkout') as unknown,
    });
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
  worktree_move: { name: 'sound', new_path: 'moved' },
  worktree_lock: { name: 'sound' },
  worktree_rename_branch: { old_name: 'spare', new_name: 'spared' },
  worktree_delete_branch: { branch: 'feature/spare', delete_remote: true },
  worktree_run_setup: { name: 'sound' },
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
    for (const branch of ['spare', 'feature/spare']) repo.git('branch', branch);
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
    expect(asked.size).toBeGreaterThan(12);
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

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkConfig } from '../../../src/world/config-files.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';

describe('settings of worktree-manager', () => {
  it('are the weakest layer: the home below the checkout below ralph.toml; what is wrong stops nobody', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ralph-manager-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [root, home] = [join(folder, 'root'), join(folder, 'home')];
    const put = (base: string, path: string, text: string): void => {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), text);
    };
    const env = { HOME: home };
    const file = '.claude/worktree-manager.local.md';
    put(home, file, '---\nbranch_prefix: home/\nworktree_base_path: ~/of-home\nspec_directory: of-home\n---\n');
    put(root, file, '---\nbranch_prefix: here/\nauto_spawn_strategy: sometimes\nspec_directory: of-here\n---\nNotes\n');
    put(root, 'ralph.toml', 'plans = "of-toml"\n');
    execFileSync('git', ['init', '-q', '-b', 'main', root]);
    const config = await checkConfig({ repo: findRepository(root), env, flags: new Map() });
    expect(config.settings.worktree).toMatchObject({ branch: 'here/<name>', path: '~/of-home/<name>' });
    expect(config.settings).toMatchObject({ plans: 'of-toml', autoSpawnStrategy: 'ask' });
    expect(config.origins.get('worktree.branch')).toEqual({ kind: 'manager', name: file, line: 2 });
    expect(config.problems).toEqual([]);
    expect(config.warnings).toEqual([expect.objectContaining({ file, line: 3 })]);
    put(root, file, 'no front matter');
    put(home, file, Buffer.from([0xff, 0xfe]).toString('latin1'));
    expect((await checkConfig({ repo: findRepository(root), env, flags: new Map() })).problems).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { readManagerFile } from './manager-file.ts';

const read = (head: string) => {
  const { layer, warnings } = readManagerFile('m.md', `---\n${head}\n---\n\nNotes\n`);
  const said = Object.fromEntries([...layer.values].map(([key, { value }]) => [key, value]));
  return { said, told: warnings.map(({ line, column, message }) => `${line}:${column} ${message}`), layer };
};

describe('settings of worktree-manager', () => {
  it('become ours', () => {
    const { said, told, layer } = read(
      [
        'worktree_base_path: ~/trees/',
        'branch_prefix: "wip/"',
        'auto_init_submodules: false',
        'auto_run_setup: prompt',
        'copy_file_patterns: [".env", "*.local"]',
        'exclude_file_patterns:',
        '  - secret.local',
        'auto_spawn_strategy: "always"  # do not ask',
        'default_max_iterations: 50',
        'spec_directory: audit',
        'auto_commit: true',
        'auto_push: false',
        'create_learnings_file: true',
      ].join('\n'),
    );
    expect(told).toEqual([]);
    expect(said).toEqual({
      'worktree.path': '~/trees/<name>',
      'worktree.branch': 'wip/<name>',
      'worktree.submodules': false,
      'worktree.copy': ['.env', '*.local', '!secret.local'],
      auto_spawn_strategy: 'always',
      'limits.iterations': 50,
      plans: 'audit',
    });
    expect(layer.values.get('auto_spawn_strategy')).toMatchObject({ source: 'm.md', line: 9 });
  });

  it('that copy nothing copy nothing, in either order', () => {
    expect(read('copy_files_enabled: false\ncopy_file_patterns: [a]').said).toEqual({ 'worktree.copy': [] });
    expect(read('copy_file_patterns: [a]\ncopy_files_enabled: false').said).toEqual({ 'worktree.copy': [] });
    expect(read('copy_files_enabled: true\nauto_run_setup: false').said).toEqual({ 'worktree.setup': [] });
  });

  it('that are wrong are told with their place, and the others count', () => {
    const { said, told } = read(
      'branch_prefx: x\nauto_spawn_strategy: maybe\ndefault_max_iterations: -3\nworktree_base_path: [a]\nauto_run_setup: 7\nspec_directory: a\nbranch_prefix:',
    );
    expect(said).toEqual({ plans: 'a' });
    expect(told).toEqual([
      '2:1 there is no setting "branch_prefx"; did you mean branch_prefix?',
      expect.stringMatching(/^3:1 `auto_spawn_strategy`: .*one of ask, always, never, not "maybe"/) as string,
      expect.stringMatching(/^4:1 `default_max_iterations`: .*whole number/) as string,
      '5:1 `worktree_base_path` must be a folder, not a list',
      '6:1 `auto_run_setup` must be prompt, auto, all or false, not 7',
    ]);
  });

  it('that are no settings at all are told', () => {
    expect(readManagerFile('m.md', 'just notes').warnings).toHaveLength(1);
    expect(readManagerFile('m.md', '---\n[1, 2]\n---\n').warnings).toHaveLength(1);
    expect(readManagerFile('m.md', '---\na: [1\n---\n').warnings[0]).toMatchObject({ file: 'm.md', line: 3 });
    expect(readManagerFile('m.md', '---\n---\n').warnings).toEqual([]);
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect } from 'vitest';
import { justBin } from '../../../scripts/lib/tools.mjs';
import { itNeeds } from '../../needs.ts';
import { bundle } from '../harness/bundle.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const bin = justBin();
const itJust = itNeeds('just (node scripts/test.mjs installs it)', bin !== null);

/** Every verb of both documents, and the words it becomes. */
const VERBS: readonly (readonly [string, readonly string[]])[] = [
  ['ralph --max-iterations 3', ['run', '--max-iterations', '3']],
  ['prompt', ['prompt']],
  ['prompt login', ['prompt', 'login']],
  ['worktree-new alpha', ['worktree', 'new', 'alpha']],
  ['ralph-logs', ['logs']],
  ['task-reset login', ['tasks', 'reset', 'login']],
  ['orchestrate', ['orchestrate']],
  ['orchestrate --epic E-1', ['orchestrate', '--epic', 'E-1']],
  ['orchestrate --max-agents 2', ['orchestrate', '--max-agents', '2']],
  ['orchestrate --dry-run', ['orchestrate', '--dry-run']],
  ['orchestrate-epic E-1', ['orchestrate', '--epic', 'E-1']],
  ['orchestrate-status', ['orchestrate', 'status']],
  ['orchestrate-preview', ['orchestrate', '--dry-run']],
  ['orchestrate-help', ['orchestrate', '--help']],
  ['worker login', ['worker', 'login']],
  ['merger', ['land', '--all']],
  ['merger --dry-run', ['land', '--all', '--dry-run']],
  ['worktree-clean', ['worktree', 'clean']],
  ['worktree-remove login', ['worktree', 'remove', 'login']],
  ['test-crash-recovery', ['demo', '--crash']],
];

/** A PATH with the real just and a `ralph` that is ours, or that only writes down its words. */
function withJust(one: Scratch, program: string): NodeJS.ProcessEnv {
  const folder = beside(one, 'just-bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ralph'), program);
  chmodSync(join(folder, 'ralph'), 0o755);
  return { ...one.env, PATH: [folder, bin, one.env['PATH']].join(delimiter) };
}

const ours = (): string => `#!/bin/sh\nexec '${process.execPath}' '${bundle().main}' "$@"\n`;

async function withRecipes(one: Scratch): Promise<void> {
  const { stdout } = await ralph(one, ['init', '--justfile']);
  one.put('justfile', stdout);
  one.git('add', 'justfile');
  one.git('commit', '-qm', 'Add recipes');
}

describe('the justfile', () => {
  itJust('maps every verb of both documents, words with spaces and quotes included', async () => {
    const one = scratch();
    await withRecipes(one);
    const told = beside(one, 'told');
    const env = withJust(one, `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > '${told}'\n`);
    const wordsOf = (args: readonly string[]): readonly string[] => {
      execFileSync('just', args, { cwd: one.repo, env, stdio: 'pipe' });
      return readFileSync(told, 'utf8').split('\n').slice(0, -1);
    };
    for (const [verb, words] of VERBS) expect(wordsOf(verb.split(' ')), verb).toEqual(words);
    const odd = `a "b" $(touch ${beside(one, 'canary')}); 'c'`;
    expect(wordsOf(['ralph', odd])).toEqual(['run', odd]);
    expect(() => readFileSync(beside(one, 'canary'))).toThrow(/ENOENT/);
  });

  itJust('does the work with the real program', async () => {
    const one = scratch();
    project(one, { tasks: ['login', 'search'] });
    await withRecipes(one);
    const env = withJust(one, ours());
    const just = (...args: readonly string[]): string =>
      execFileSync('just', args, { cwd: one.repo, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(just('prompt')).toContain('# Task login');
    expect(just('orchestrate-preview')).toContain('login');
    expect(starts(one)).toEqual([]);
    just('worker', 'login');
    just('orchestrate');
    expect(starts(one).map(({ task }) => task)).toEqual(['login', 'search']);
    expect(just('orchestrate-status')).toContain('2 landed');
    just('worktree-clean');
  });
});

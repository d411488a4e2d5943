import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { MergeDriverSettings } from '../../../src/core/model/settings.ts';
import { openCandidates } from '../../../src/world/landing/candidate.ts';
import type { Candidates } from '../../../src/world/landing/candidate.ts';
import { openGateWorktrees } from '../../../src/world/gates/gate-worktree.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { openRegenerate } from '../../../src/world/landing/regenerate.ts';
import type { BuildOptions, Built } from '../../../src/world/contract/world.ts';
import { provisions } from '../provisions.ts';
import { plainEnvironment, scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

export type Files = Readonly<Record<string, string | Buffer>>;

export interface Scene extends ScratchRepo {
  readonly view: GitView;
  readonly start: Sha;
  /** The git commands that went through the view. */
  readonly calls: string[];
  readonly candidates: Candidates;
  /** As another process would open it. */
  reopen(): Candidates;
  /** A branch with these files written, from the start unless told otherwise. */
  branch(name: string, files: Files, from?: Sha): Sha;
  /** A file's text in a commit, to the last byte. */
  show(commit: Sha, path: string): string;
  remove(): void;
}

export interface SceneOptions extends ScratchOptions {
  readonly merge?: Partial<MergeDriverSettings>;
  readonly timeoutMs?: number;
}

export const TASKS = 'tasks.md';
export const OPEN_TASKS = '- [ ] one\n- [ ] two\n- [ ] three\n';

/** A repository and what makes candidates in it; nothing stands in for anything. */
export async function candidateScene(
  files: Readonly<Record<string, string>>,
  options: SceneOptions = {},
): Promise<Scene> {
  const scratch = scratchRepo({ ...options, files: { [TASKS]: OPEN_TASKS, ...files } });
  const repo = findRepository(scratch.dir);
  const calls: string[] = [];
  const view = listening(await openView(repo), calls);
  const start = sha(scratch.git('rev-parse', 'HEAD'));
  const gates = openGateWorktrees(repo, dirname(scratch.dir), provisions());
  const reopen = (): Candidates =>
    openCandidates({
      repo,
      view,
      identity: { name: 'Ada Test', email: 'ada@example.test' },
      tracker: {
        path: TASKS,
        look: () => Promise.resolve(null),
        tick: async (text, task) => text.replace(`[ ] ${task}`, `[x] ${task}`),
        close: () => Promise.resolve(false),
      },
      merge: { union: ['CHANGELOG.md'], regenerate: {}, ...options.merge },
      regenerate: openRegenerate({
        repo,
        view,
        env: process.env,
        gates: {
          commands: [],
          base: false,
          timeoutMs: options.timeoutMs ?? 60_000,
          timeoutAuto: false,
          resources: {},
          uses: {},
          passEnv: [],
        },
        withWorktree: gates.withWorktree,
      }),
    });
  const branch = (name: string, changes: Files, from = start): Sha => {
    scratch.git('switch', '-qc', name, from);
    for (const [path, content] of Object.entries(changes)) scratch.write(path, content);
    const head = scratch.commit(name);
    scratch.git('switch', '-q', '--detach', start);
    return sha(head);
  };
  const show = (commit: Sha, path: string): string =>
    execFileSync('git', ['cat-file', 'blob', `${commit}:${path}`], {
      cwd: scratch.dir,
      env: plainEnvironment(),
    }).toString('utf8');
  return { ...scratch, view, start, calls, candidates: reopen(), reopen, branch, show };
}

function listening(view: GitView, calls: string[]): GitView {
  const note = (args: readonly string[]): void =>
    void calls.push(args.find((arg) => !arg.startsWith('-') && !arg.includes('=')) ?? '');
  return {
    ...view,
    run: (args, options) => (note(args), view.run(args, options)),
    bytes: (args, options) => (note(args), view.bytes(args, options)),
  };
}

/** What a build is asked for unless a test is about it. */
export function order(base: Sha, head: Sha, more: Partial<BuildOptions> = {}): BuildOptions {
  return { base, head, under: base, message: 'Land it\n\nTask: one\n', method: 'merge', tick: null, ...more };
}

export function built(result: Built | { readonly conflicts: readonly string[] }): Built {
  if ('conflicts' in result) expect.fail(`conflicts: ${result.conflicts.join(', ')}`);
  return result;
}

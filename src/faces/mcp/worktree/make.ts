import { shellWord } from '../../../core/model/shell-word.ts';
import { givenPath } from '../../../world/feature/given-path.ts';
import { makeFeature } from '../../../world/feature/make-feature.ts';
import { type SetupStep, wordsOf } from '../../../world/setup/run-setup.ts';
import { requireBranch } from '../../../world/feature/their-branch.ts';
import type { Answer } from '../../verbs/answer.ts';
import type { WorktreePlace } from './find-worktree.ts';
import { told } from './told.ts';

/** Makes a worktree to work in, ready to use. */
export async function startWorktree({ call, repo, settings, given }: WorktreePlace): Promise<Answer> {
  const [base, path, branch] = ['base_branch', 'worktree_path', 'existing_branch'].map((name) => given.text(name));
  if (branch !== undefined && branch !== '') await requireBranch(repo, branch);
  const steps: string[] = [];
  const made = await makeFeature(repo, {
    name: given.text('feature_name'),
    base: base || null,
    path: path === undefined || path === '' ? null : givenPath(path, call.cwd, call.env),
    branch: branch || null,
    settings: settings.worktree,
    target: settings.landing.target,
    install: true,
    env: call.env,
    onStep: (text) => steps.push(text),
  });
  const there = `cd ${shellWord(made.path)}`;
  const task = given.text('task_description').trim();
  return told({
    path: made.path,
    branch: made.branch,
    isSetUp: made.setup.every(({ ok }) => ok),
    messages: [...steps, ...failuresOf(made.setup)],
    next: [there, task === '' ? `${there} && claude` : `${there} && ralph run -- ${shellWord(task)}`],
    more: { name: made.name, base: made.base, reused: made.reused, copied: made.copied, env: made.env },
  });
}

const failuresOf = (steps: readonly SetupStep[]): readonly string[] =>
  steps.filter(({ ok }) => !ok).map(({ command, tail }) => `failed: ${wordsOf(command)}\n${tail}`);

import { AppError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/remedy.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { detectEcosystems } from '../../../world/feature/detect-ecosystems.ts';
import { givenPath } from '../../../world/feature/given-path.ts';
import { makeFeature, toldOf } from '../../../world/feature/make-feature.ts';
import { type Setup, type SetupStep, inForeground, runSetup, wordsOf } from '../../../world/feature/run-setup.ts';
import { requireBranch } from '../../../world/feature/their-branch.ts';
import type { Answer } from '../../verbs/answer.ts';
import { type WorktreePlace, meantWorktree } from './find-worktree.ts';
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

/** What a worktree is made with, and how its dependencies would be installed. */
export async function detectIn(place: WorktreePlace): Promise<Answer> {
  const { path, branch } = await meantWorktree(place);
  const found = detectEcosystems(path);
  const ecosystems = found.map(({ name, found: file, commands }) => ({
    name,
    package_manager: name,
    directory: path,
    found: file,
    command: commands.map(wordsOf).join(' && '),
    commands: commands.map(wordsOf),
  }));
  return told({ path, branch, more: { ecosystems, count: ecosystems.length } });
}

/** Installs what a worktree depends on: what was named, what the user wrote down, or what was found. */
export async function setUp(place: WorktreePlace): Promise<Answer> {
  const { path, branch, note, isMain } = await meantWorktree(place);
  if (isMain)
    throw new AppError('E_NEEDS_PERSON', 'the main checkout is a person’s own, and stays as they set it up', {
      remedy: 'ralph worktree list',
    });
  const steps: string[] = [];
  const env = { ...place.call.env, ...(note === null ? {} : toldOf(note)) };
  const done = await runSetup(setupOf(place, path), inForeground(path, env), (text) => steps.push(text));
  const [ran, failed] = [true, false].map((how) => done.filter(({ ok }) => ok === how).map((one) => one.ecosystem));
  const messages = [...steps, ...failuresOf(done)];
  return told({ path, branch, isSetUp: done.every(({ ok }) => ok), messages, more: { ran, failed } });
}

function setupOf({ given, settings }: WorktreePlace, path: string): Setup {
  const names = given.texts('ecosystem_names');
  const found = detectEcosystems(path);
  if (names.length === 0)
    return settings.worktree.setup.length > 0 ? { lines: settings.worktree.setup } : { ecosystems: found };
  const strange = names.find((name) => !found.some((one) => one.name === name));
  if (strange === undefined) return { ecosystems: found.filter(({ name }) => names.includes(name)) };
  throw new AppError('E_UNKNOWN_ID', `no ecosystem ${JSON.stringify(shortLine(strange, 60))} was found in ${path}`, {
    facts: [`found: ${found.map(({ name }) => name).join(', ') || 'none'}`],
    remedy: `ls -a ${shellWord(path)}`,
  });
}

const failuresOf = (steps: readonly SetupStep[]): readonly string[] =>
  steps.filter(({ ok }) => !ok).map(({ command, tail }) => `failed: ${wordsOf(command)}\n${tail}`);

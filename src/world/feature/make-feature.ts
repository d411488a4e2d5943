import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { featureName } from '../../text/feature/feature-name.ts';
import { allFilters, missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { preflight } from '../git/files/preflight.ts';
import { openView } from '../git/run/view.ts';
import { adminDirOf, isBelow, realpathLoose } from '../git/files/worktree-admin.ts';
import { describeTakenBack, healWorktreeEntries } from '../keep/heal-entries.ts';
import { addWorktree } from '../worktrees/worktrees.ts';
import { cannotWrite } from '../os/errno.ts';
import { carryFiles } from '../setup/carry-files.ts';
import { detectEcosystems, whatIsLeftOut } from '../setup/setup-plan.ts';
import { countChanges } from './unlanded.ts';
import { noteFeature, readFeatureNote, writeFeatureNote, MAKING, withFeaturePlace } from '../worktrees/feature-note.ts';
import { listCarried } from '../setup/provisions.ts';
import { hideFromGit } from '../git/files/ignore-files.ts';
import { placeFeature, planFeature } from './plan-feature.ts';
import { inForeground, runSetup } from '../setup/run-setup.ts';
import { fetchSubmodules } from '../worktrees/submodules.ts';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import type { Repository } from '../git/run/repository.ts';
import type { LeftFile } from '../setup/carry-files.ts';
import type { FeatureNote } from '../worktrees/feature-note.ts';
import type { FeaturePlan } from './plan-feature.ts';
import type { Setup, SetupStep } from '../setup/run-setup.ts';

export interface FeatureOrder {
  readonly name: string;
  /** Branch or commit to start from; null: where work lands. */
  readonly base: string | null;
  /** Absolute, or with ~ in front; null: by the template. */
  readonly path: string | null;
  /** Null: by the template. One that exists is checked out as it is. */
  readonly branch: string | null;
  readonly settings: WorktreeSettings;
  /** The branch that work lands on, by the settings; without it: as found. */
  readonly target?: string | null;
  readonly install: boolean;
  /** What the user typed behind `ralph`, for remedies; without it: `worktree new NAME`. */
  readonly typed?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: (text: string) => void;
}

export interface MadeFeature {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /** The commit it began at. */
  readonly base: string;
  /** It stood already, clean, on that branch. */
  readonly reused: boolean;
  readonly copied: readonly string[];
  readonly left: readonly LeftFile[];
  readonly submodules: number;
  readonly setup: readonly SetupStep[];
  readonly portBase: number;
  /** What programs in it are told. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a worktree for a person to work in, ready to use. Killed anywhere, calling it again brings it to its end. */
export async function makeFeature(repo: Repository, order: FeatureOrder): Promise<MadeFeature> {
  featureName(order.name);
  const { takenBack } = await healWorktreeEntries(repo);
  for (const one of takenBack) if (one.stays || one.kept !== null) order.onStep(describeTakenBack(one));
  const target = await preflight(repo, order.target ?? null);
  return withFeaturePlace(repo, await placeFeature(repo, order), async () => {
    const plan = await planFeature(repo, order, target);
    const filters = withoutFilters(await missingFilters(repo.root));
    if (plan.existing === null) await lay(repo, order, plan, filters);
    const adminDir = adminDirOf(repo, plan.path);
    invariant(adminDir !== null, `${plan.path} is a worktree`);
    const before = readFeatureNote(adminDir);
    const isUnfinished = plan.existing === null || plan.existing.locked === MAKING || before?.isDone === false;
    if (!isUnfinished) return reuse(repo, order, plan, adminDir, before);
    const { name, branch, base } = plan;
    const isOurs = before?.isOurs ?? true;
    // Whoever cannot tell any more whose the branch was leaves it to its owner.
    const ownsBranch = before?.ownsBranch ?? (plan.existing === null && plan.createsBranch);
    const fresh = { name, branch, base: before?.base ?? base, isOurs, ownsBranch, isDone: false };
    const note = await noteFeature(repo, adminDir, fresh);
    if (plan.existing === null || plan.existing.locked === MAKING) rmSync(join(adminDir, 'locked'), { force: true });
    return finish(repo, order, plan, adminDir, note, filters);
  });
}

async function lay(repo: Repository, order: FeatureOrder, plan: FeaturePlan, flags: readonly string[]): Promise<void> {
  const { path, branch, base, from } = plan;
  order.onStep(`worktree ${path} on ${branch} from ${from}`);
  if (flags.length > 0) order.onStep('files behind a filter that is not installed stay as they are stored');
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw cannotWrite(dirname(path), error);
  }
  const add = (more: readonly string[]): Promise<void> =>
    addWorktree(repo, { path, branch, base, reason: MAKING, flags: more });
  try {
    await add(flags);
  } catch (error) {
    // One filter that fails, for want of a network say, must not cost everything else.
    if (!(error instanceof AppError) || !error.facts.some((line) => /\bfilter\b/.test(line))) throw error;
    order.onStep(`a filter failed, so its files stay as they are stored: ${error.facts[0] ?? ''}`);
    await add(withoutFilters(await allFilters(repo.root)));
  }
  // Inside of a checkout git would show it there as something new.
  const [root, real] = [realpathLoose(repo.root), realpathLoose(path)];
  if (isBelow(root, real)) hideFromGit(repo.root, `${relative(root, real)}/`);
}

async function reuse(
  repo: Repository,
  order: FeatureOrder,
  plan: FeaturePlan,
  adminDir: string,
  before: FeatureNote | null,
): Promise<MadeFeature> {
  const changes = await countChanges(plan.path, before?.carried ?? []);
  if (!changes.isClean)
    throw new AppError('E_NEEDS_PERSON', `${plan.path} already exists and has uncommitted changes: ${changes.text}`, {
      remedy: `cd ${shellWord(plan.path)}`,
    });
  const { name, branch, base } = plan;
  // A person's own stays theirs; it only gets its ports.
  const fresh = { name, branch, base, isOurs: false, ownsBranch: false, isDone: true };
  const note = before ?? (await noteFeature(repo, adminDir, fresh));
  order.onStep(`worktree ${plan.path} on ${branch} already exists`);
  return made(plan, note, { reused: true });
}

async function finish(
  repo: Repository,
  order: FeatureOrder,
  plan: FeaturePlan,
  adminDir: string,
  note: FeatureNote,
  filters: readonly string[],
): Promise<MadeFeature> {
  const { path } = plan;
  const { settings, onStep } = order;
  const wanted = await listCarried(await openView(repo), repo.root, join(repo.commonDir, 'index'), settings);
  const { copied, left } = carryFiles(repo.root, path, wanted);
  writeFeatureNote(adminDir, { ...note, carried: copied });
  if (copied.length > 0) onStep(`copied ${copied.map((file) => file.path).join(', ')}`);
  for (const file of left) onStep(`not copied: ${file.path} (${file.why})`);
  const modules = settings.submodules ? await fetchSubmodules(path, filters) : { count: 0, failed: null };
  if (modules.count > 0) onStep(`submodules: ${modules.count}`);
  if (modules.failed !== null)
    onStep(
      `submodules are missing: ${modules.failed}; again: git -C ${shellWord(path)} submodule update --init --recursive`,
    );
  const env = { ...order.env, ...toldOf(note) };
  const wished = setupOf(settings, path);
  const setup = order.install ? await runSetup(wished, inForeground(path, env), onStep) : [];
  const uninstalled = order.install && settings.setup === null ? whatIsLeftOut(path, wished) : null;
  if (uninstalled !== null) onStep(uninstalled);
  writeFeatureNote(adminDir, { ...note, carried: copied, isDone: true });
  return made(plan, note, { copied: copied.map((file) => file.path), left, submodules: modules.count, setup });
}

const setupOf = ({ setup }: WorktreeSettings, path: string): Setup =>
  setup === null ? { ecosystems: detectEcosystems(path) } : { lines: setup };

/** What programs in a feature worktree are told of it. */
const toldOf = ({ name, portBase, portStep }: FeatureNote): Readonly<Record<string, string>> => ({
  RALPH_WORKTREE_NAME: name,
  RALPH_PORT_BASE: String(portBase),
  RALPH_PORT_COUNT: String(portStep),
});

function made({ name, path, branch }: FeaturePlan, note: FeatureNote, rest: Partial<MadeFeature>): MadeFeature {
  const nothing = { reused: false, copied: [], left: [], submodules: 0, setup: [] };
  const { base, portBase } = note;
  return { name, path, branch, base, portBase, env: toldOf(note), ...nothing, ...rest };
}

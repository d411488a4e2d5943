import { AppError } from '../../../core/model/errors.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { type FeatureStatus, listFeatures } from '../../../world/feature/feature-status.ts';
import { givenPath } from '../../../world/feature/given-path.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { realpathLoose } from '../../../world/git/files/worktree-admin.ts';
import { listWorktrees } from '../../../world/worktrees/worktrees.ts';
import type { Call } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import type { Given } from '../tool.ts';

export interface WorktreePlace {
  readonly call: Call;
  readonly repo: Repository;
  readonly settings: Settings;
  readonly given: Given;
}

export async function openPlace(call: Call, given: Given): Promise<WorktreePlace> {
  const { repo, config } = await openProject(call);
  return { call, repo, settings: config.settings, given };
}

export const allOf = ({ repo, settings }: WorktreePlace): Promise<readonly FeatureStatus[]> =>
  listFeatures(repo, { target: settings.landing.target });

/** The worktree meant by path or name. Only what git knows as one of this repository can be meant. */
export async function namedWorktree(place: WorktreePlace): Promise<FeatureStatus> {
  const { given } = place;
  const [path, name] = [given.text('worktree_path'), given.text('name')];
  if ((path === '') === (name === ''))
    throw new AppError('E_USAGE', 'say which worktree is meant, by worktree_path or by name', {
      remedy: 'ralph worktree list',
    });
  if (path === '') return byName(await allOf(place), name);
  return byPath(place, givenPath(path, place.call.cwd, place.call.env));
}

/** The same; without a word, the one that the session stands in. */
export async function meantWorktree(place: WorktreePlace): Promise<FeatureStatus> {
  const isSaid = place.given.text('worktree_path') !== '' || place.given.text('name') !== '';
  return isSaid ? namedWorktree(place) : byPath(place, place.repo.worktree);
}

/** Looked for before anything is looked at: what each one holds takes a while to find out. */
async function byPath(place: WorktreePlace, path: string): Promise<FeatureStatus> {
  const real = realpathLoose(path);
  const isIt = (one: { readonly path: string }): boolean => realpathLoose(one.path) === real;
  const known = await listWorktrees(place.repo);
  const found = known.some(isIt) ? (await allOf(place)).find(isIt) : undefined;
  if (found !== undefined) return found;
  throw unknown(
    known.map((one) => one.path),
    path,
  );
}

/** Never by a part of it: whoever takes something away must have meant it. */
function byName(all: readonly FeatureStatus[], name: string): FeatureStatus {
  const [one, ...others] = all.filter((each) => each.name === name);
  if (one === undefined)
    throw unknown(
      all.map((each) => each.name),
      name,
    );
  if (others.length === 0) return one;
  throw new AppError(
    'E_AMBIGUOUS_ID',
    `${others.length + 1} worktrees are called ${JSON.stringify(shortLine(name, 60))}`,
    {
      facts: [one, ...others].map(({ path }) => path),
      remedy: 'ralph worktree list',
    },
  );
}

const unknown = (known: readonly string[], text: string): AppError =>
  new AppError('E_UNKNOWN_ID', `no worktree of this repository is ${JSON.stringify(shortLine(text, 80))}`, {
    facts: known,
    remedy: 'ralph worktree list',
  });

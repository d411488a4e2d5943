import { resolve } from 'node:path';
import type { Identity } from '../../world/git/identity.ts';
import type { Repository } from '../../world/git/repository.ts';
import { openView } from '../../world/git/view.ts';
import { areFactsLost, factsFromGit, settleLoss } from '../../world/repair/lost-facts.ts';
import { fixAll, startRepairs } from '../../world/repair/repairs.ts';
import { refuseRalphFile } from '../../world/state-places.ts';
import type { Call } from './handler.ts';
import { openOwnProject } from './project.ts';
import type { Project } from './project.ts';
import { writeFacts } from './write-facts.ts';

/** The project of a command that will work on it: what killed processes of ours left broken is healed first. */
export async function startProject(call: Call): Promise<Project> {
  const project = await openOwnProject(call);
  refuseRalphFile(project.repo);
  if (call.flags['dryRun'] === true) return project;
  const { repo, config } = project;
  const place = { repo, worktreeRoot: resolve(repo.root, config.settings.parallel.worktreeRoot) };
  for (const line of await fixAll(startRepairs(place))) call.out.say(`healed: ${line}`);
  return project;
}

/** After a salvage that left facts out: what git knows of them is written into the log before anybody acts on it. */
export async function takeUpLost(
  { repo }: Pick<Project, 'repo'>,
  options: { readonly identity: Identity; readonly target: string; readonly tracker: string },
): Promise<void> {
  if (areFactsLost(repo)) await askGit(repo, options);
}

/** Also for what a log of its own never knew. */
export async function askGit(
  repo: Repository,
  options: { readonly identity: Identity; readonly target: string; readonly tracker: string },
): Promise<void> {
  const view = await openView(repo);
  await writeFacts(repo, (state) => factsFromGit({ repo, view, ...options }, state));
  settleLoss(repo);
}

import { resolve } from 'node:path';
import type { Identity } from '../../../world/git/run/identity.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { areFactsLost, factsFromGit, settleLoss } from '../../../world/repair/lost-facts.ts';
import { firstRepairs, fixAll } from '../../../world/repair/repairs.ts';
import { refuseUnfit } from '../../../world/repair/fit-for-work.ts';
import { refuseRalphFile } from '../../../world/git/run/state-places.ts';
import type { Call } from '../../call/handler.ts';
import { openOwnProject } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** The project of a command that will work on it: what killed processes of ours left broken is healed first. */
export async function startProject(call: Call): Promise<Project> {
  const project = await openOwnProject(call);
  refuseRalphFile(project.repo);
  if (call.flags['dryRun'] === true) return project;
  refuseUnfit(project.repo);
  const { repo, config } = project;
  const place = { repo, worktreeRoot: resolve(repo.root, config.settings.parallel.worktreeRoot) };
  for (const line of await fixAll(firstRepairs(place, { isThorough: false }))) call.out.say(`healed: ${line}`);
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

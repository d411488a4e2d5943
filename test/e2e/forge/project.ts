import { onTestFinished } from 'vitest';
import { startGithub } from '../../forge/github.ts';
import type { Github } from '../../forge/github-types.ts';
import { project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { RalphOptions, Result, Running } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

export interface ForgeProject {
  readonly place: Scratch;
  readonly forge: Github;
  readonly run: (args: readonly string[], options?: RalphOptions) => Promise<Result>;
  readonly start: (args: readonly string[]) => Running;
}

/** A project whose remote is a GitHub on loopback, with work delivered by pull request. */
export function forgeProject(spec: ProjectSpec): Promise<ForgeProject> {
  const { config = {} } = spec;
  const parallel = config['parallel'] as Readonly<Record<string, unknown>> | undefined;
  return onGithub({ ...spec, config: { ...config, parallel: { merge_policy: 'pr', ...parallel } } });
}

/** A project without a task file: its tasks are issues there. */
export function issuesProject(
  tracker: Readonly<Record<string, unknown>>,
  spec: Partial<ProjectSpec> = {},
): Promise<ForgeProject> {
  return onGithub({ tasks: {}, ...spec, config: { ...spec.config, tracker: { kind: 'github', ...tracker } } });
}

async function onGithub(spec: ProjectSpec): Promise<ForgeProject> {
  const place = scratch();
  const forgeConfig = spec.config?.['forge'] as Readonly<Record<string, unknown>> | undefined;
  project(place, { ...spec, config: { ...spec.config, forge: { kind: 'github', ...forgeConfig } } });
  const forge = await startGithub(place.root, place.repo);
  place.git('remote', 'add', 'origin', forge.git);
  // The server answers in this very process: no git that waits for it may be waited for.
  place.git('update-ref', 'refs/remotes/origin/main', 'main');
  place.git('branch', '-q', '-u', 'origin/main');
  onTestFinished(async () => {
    await forge.stop();
    if (forge.mismatches.length > 0) throw new Error(forge.mismatches.join('\n'));
  });
  return {
    place,
    forge,
    run: (args, options = {}) => ralph(place, args, { ...options, env: { GH_TOKEN: 'octo-token', ...options.env } }),
    start: (args) => startRalph(place, args, { env: { GH_TOKEN: 'octo-token' } }),
  };
}

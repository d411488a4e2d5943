import { onTestFinished } from 'vitest';
import { startGithub } from '../../forge/github.ts';
import type { Github } from '../../forge/github-types.ts';
import { project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { RalphOptions, Result } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

export interface ForgeProject {
  readonly place: Scratch;
  readonly forge: Github;
  readonly run: (args: readonly string[], options?: RalphOptions) => Promise<Result>;
}

/** A project whose remote is a GitHub on loopback, with work delivered by pull request. */
export async function forgeProject(spec: ProjectSpec): Promise<ForgeProject> {
  const place = scratch();
  const { config = {} } = spec;
  const forgeConfig = config['forge'] as Readonly<Record<string, unknown>> | undefined;
  const parallel = config['parallel'] as Readonly<Record<string, unknown>> | undefined;
  project(place, {
    ...spec,
    config: { ...config, parallel: { merge_policy: 'pr', ...parallel }, forge: { kind: 'github', ...forgeConfig } },
  });
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
  };
}

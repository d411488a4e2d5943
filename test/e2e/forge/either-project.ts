import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, onTestFinished } from 'vitest';
import { giteaBin } from '../../../scripts/lib/gitea.mjs';
import { onGitea, onGithub } from '../../forge/either.ts';
import type { EitherForge } from '../../forge/either.ts';
import { startGitea } from '../../forge/gitea.ts';
import type { Gitea } from '../../forge/gitea.ts';
import { project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { RalphOptions, Result, Running } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

export interface EitherProject {
  readonly place: Scratch;
  readonly forge: EitherForge;
  readonly run: (args: readonly string[], options?: RalphOptions) => Promise<Result>;
  readonly start: (args: readonly string[]) => Running;
  /** The newest head of a pull request. */
  readonly head: (number: number) => Promise<string>;
}

export type Make = (spec: ProjectSpec, target?: string) => Promise<EitherProject>;

/** Without a fetch: the loopback GitHub answers in this very process. */
function connect({ git }: Scratch, forge: EitherForge, target: string): void {
  git('remote', 'add', 'origin', forge.git);
  git('update-ref', `refs/remotes/origin/${target}`, target);
  git('branch', '-q', '-u', `origin/${target}`);
}

function projectOn(place: Scratch, forge: EitherForge, target: string): EitherProject {
  connect(place, forge, target);
  return {
    place,
    forge,
    run: (args, options = {}) => ralph(place, args, { ...options, env: { ...forge.env, ...options.env } }),
    start: (args) => startRalph(place, args, { env: forge.env }),
    head: async (number) => (await forge.pulls()).find((one) => one.number === number)?.head ?? '',
  };
}

function placed(spec: ProjectSpec, kind: EitherForge['kind'], target: string): Scratch {
  const place = scratch();
  if (target !== 'main') place.git('branch', '-m', target);
  const { config = {} } = spec;
  const [own, parallel] = [config['forge'] as object | undefined, config['parallel'] as object | undefined];
  project(place, {
    ...spec,
    config: { ...config, parallel: { merge_policy: 'pr', ...parallel }, forge: { kind, ...own } },
  });
  return place;
}

const makeOnGithub: Make = async (spec, target = 'main') => {
  const place = placed(spec, 'github', target);
  const forge = await onGithub(place.root, place.repo);
  onTestFinished(async () => {
    await forge.server.stop();
    if (forge.server.mismatches.length > 0) throw new Error(forge.server.mismatches.join('\n'));
  });
  return projectOn(place, forge, target);
};

/** The same tests on the loopback GitHub and on a real Gitea; where that is not built, its half says so. */
export function describeEither(name: string, tests: (make: Make, kind: EitherForge['kind']) => void): void {
  describe(`${name} (GitHub)`, () => tests(makeOnGithub, 'github'));
  describe(`${name} (Gitea)`, () => {
    let server: Promise<Gitea> | null = null;
    let count = 0;
    afterAll(async () => {
      if (server !== null) await (await server).remove();
    });
    tests(async (spec, target = 'main') => {
      if (giteaBin() === null) throw new Error('Gitea is not built');
      server ??= startGitea();
      const place = placed(spec, 'gitea', target);
      return projectOn(place, await onGitea(await server, { name: `shop${(count += 1)}`, target }, place.repo), target);
    }, 'gitea');
  });
}

/** A commit of a person's on top of main, in no branch of theirs. */
export function commitOf({ git, repo }: Scratch, path: string, text: string): string {
  const index = join(repo, '..', 'index-of-a-person');
  const blob = execFileSync('git', ['-C', repo, 'hash-object', '-w', '--stdin'], {
    input: text,
    encoding: 'utf8',
  }).trim();
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const plain = (...args: string[]): string =>
    execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' }).trim();
  plain('read-tree', 'main');
  plain('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  return git('commit-tree', plain('write-tree'), '-p', 'main', '-m', `Write ${path}`);
}

/** What git says where a person pushes to main. The loopback GitHub answers in this process, so it is waited for. */
export async function pushMain({ git, repo }: Scratch, { git: url, token }: EitherForge): Promise<string> {
  const commit = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Straight to main');
  const to = url.replace('://', `://octo:${token}@`);
  return promisify(execFile)('git', ['-C', repo, 'push', to, `${commit}:refs/heads/main`]).then(
    ({ stdout, stderr }) => `taken: ${stdout}${stderr}`,
    (error: unknown) => (error as { readonly stderr: string }).stderr,
  );
}

/** Whether a commit is in a branch of the forge. */
export function contains({ repo }: Scratch, forge: EitherForge, commit: string, branch: string): boolean {
  const tip = forge.tip(branch);
  if (tip === null) return false;
  const listed = execFileSync('git', ['-C', forge.bare, 'rev-list', tip], { cwd: repo, encoding: 'utf8' });
  return listed.split('\n').includes(commit);
}

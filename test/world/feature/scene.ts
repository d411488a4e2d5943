import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settle } from '../../../src/text/config/settle.ts';
import type { Settings, WorktreeSettings } from '../../../src/core/model/settings.ts';
import { type FeatureStatus, listFeatures } from '../../../src/world/feature/feature-status.ts';
import { type FeatureOrder, type MadeFeature, makeFeature } from '../../../src/world/feature/make-feature.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { type ScratchOptions, type ScratchRepo, scratchRepo } from '../scratch.ts';

export const SETTINGS: Settings = settle([]).settings;

export interface FeatureScene {
  readonly scratch: ScratchRepo;
  readonly repo: Repository;
  /** Where `~` leads. */
  readonly home: string;
  readonly said: string[];
  make(name: string, order?: Partial<FeatureOrder>, settings?: Partial<WorktreeSettings>): Promise<MadeFeature>;
  list(): Promise<readonly FeatureStatus[]>;
  status(name: string): Promise<FeatureStatus>;
}

/** A repository of which people make worktrees below a home of their own. */
export function featureScene(options: ScratchOptions = {}): FeatureScene {
  const scratch = scratchRepo(options);
  const repo = findRepository(scratch.dir);
  const home = join(dirname(scratch.dir), 'home');
  mkdirSync(home);
  const said: string[] = [];
  const list = (): Promise<readonly FeatureStatus[]> => listFeatures(repo);
  return {
    scratch,
    repo,
    home,
    said,
    list,
    status: async (name) => {
      const found = (await list()).find((one) => one.name === name);
      if (found === undefined) throw new Error(`no worktree ${name}`);
      return found;
    },
    make: (name, order = {}, settings = {}) =>
      makeFeature(repo, {
        name,
        base: null,
        path: null,
        branch: null,
        settings: { ...SETTINGS.worktree, ...settings },
        install: true,
        env: { ...process.env, HOME: home },
        onStep: (text) => said.push(text),
        ...order,
      }),
  };
}

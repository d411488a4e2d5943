import { describe, expect, it } from 'vitest';
import { findAll, repositoryFiles } from './support/repository.ts';

/** Folders of somebody's machine; `/home/a` is nobody's. Built from parts, so that this line does not find itself. */
const MACHINE_PATH = new RegExp(String.raw`(?<![\w.$}/-])/(?:${['work', 'root', 'home', 'Users'].join('|')})/[\w-]{2}`);
const REGISTRY_HOST = new RegExp(
  ['registry', String.raw`\.(?:npmjs|yarnpkg|npmmirror)\.|artifactory|verdaccio`].join(''),
  'i',
);

describe('nothing here speaks of one machine', () => {
  it('no path of a home or a workspace', () => {
    expect(findAll(repositoryFiles(), MACHINE_PATH)).toEqual([]);
  });

  it('no package registry', () => {
    const others = repositoryFiles().filter((path) => path !== 'test/tidy/strangers.test.ts');
    expect(findAll(others, REGISTRY_HOST)).toEqual([]);
  });
});

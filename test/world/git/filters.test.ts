import { utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { missedFilters } from '../../../src/world/git/run/missing-filters.ts';
import { publish } from '../../../src/world/checkout/publish.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { stageAll } from '../../../src/world/git/files/snapshot.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

const MESSAGE = 'the filter large (no-such-large) that .gitattributes asks for is not installed';
const REMEDY = 'install no-such-large, or do without: git config --local --remove-section filter.large';

/** A repository with a file behind a filter, and one to come: the program was there when they were committed. */
function filtered(settings: readonly string[]): ScratchRepo {
  const scratch = scratchRepo({ files: { '.gitattributes': '*.big filter=large\n', 'a.big': 'a\n' } });
  onTestFinished(() => scratch.remove());
  for (const setting of [...settings, 'required=true'])
    scratch.git('config', ...(`filter.large.${setting}`.split('=') as [string, string]));
  return scratch;
}

const change = (scratch: ScratchRepo): void => {
  writeFileSync(join(scratch.dir, 'a.big'), 'b\n');
  utimesSync(join(scratch.dir, 'a.big'), 1_000_000_000, 1_000_000_000);
};

it.each([
  ['one process for all files', ['process=no-such-large filter-process']],
  ['one for each file', ['clean=no-such-large clean -- %f', 'smudge=no-such-large smudge -- %f']],
])('a filter that is not installed is named where git fails for want of it: %s', async (_, settings) => {
  const scratch = filtered(settings);
  change(scratch);
  await expect(stageAll(scratch.dir, [])).rejects.toMatchObject({
    code: 'E_FILTER_MISSING',
    message: MESSAGE,
    remedy: REMEDY,
  });
});

it('publishing is held back by it, and says so; once git does without it, it goes on', async () => {
  const scratch = filtered(['process=no-such-large filter-process']);
  const landing = join(dirname(scratch.dir), 'landing');
  scratch.git('worktree', 'add', '-q', '--detach', '--no-checkout', landing);
  gitIn(landing, 'commit', '-q', '--allow-empty', '-m', 'landed');
  const to = sha(gitIn(landing, 'rev-parse', 'HEAD'));
  utimesSync(join(scratch.dir, 'a.big'), 1_000_000_000, 1_000_000_000);
  const repo = findRepository(scratch.dir);
  const go = async () => publish(repo, await openView(repo), { target: 'main', to });
  expect(await go()).toEqual({ outcome: 'blocked', why: `${MESSAGE}: ${REMEDY}`, paths: [] });
  scratch.git('config', '--local', '--remove-section', 'filter.large');
  expect(await go()).toEqual({ outcome: 'published', to });
});

it('is told of before anything needs it, if files are to go through it', async () => {
  const scratch = filtered(['process=no-such-large filter-process']);
  scratch.git('config', 'filter.unused.process', 'no-such-program');
  expect(await missedFilters(scratch.dir)).toMatchObject([{ message: MESSAGE, remedy: REMEDY }]);
});

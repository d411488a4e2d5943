import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sealScene } from './scene.ts';
import type { SealScene } from './scene.ts';

const FIXTURE = `place=$(mktemp -d); cd "$place"; git init -q; git config user.name f; git config user.email f@example.com
echo fixture > fixture.txt; git add fixture.txt; git commit -q --no-verify -m fixture; cd /; rm -rf "$place"`;

async function withHook(hook: string): Promise<SealScene> {
  const scene = await sealScene();
  writeFileSync(join(scene.common, 'hooks/pre-commit'), `#!/bin/sh\n${hook}\n`, { mode: 0o755 });
  return scene;
}

const WORK = 'echo work > work.txt; git add -A; git commit -qm work || true';

it('case 23: a commit that a hook made from elsewhere is kept and off the branch, its settings are gone, and nobody is accused', async () => {
  const scene = await withHook(FIXTURE);
  const before = scene.gitOwn('rev-parse', 'ralph/one');
  const found = await scene.iterate(WORK);
  expect(found).toMatchObject({ isHooks: true, restored: ['.git/config', expect.stringContaining('ralph/one')] });
  expect(scene.gitOwn('rev-parse', 'ralph/one')).toBe(before);
  expect([scene.git('config', 'core.bare'), scene.git('config', 'user.name')]).not.toContain('f');
  expect(scene.git('config', 'core.bare')).toBe('false');
  expect(scene.git('log', '--format=%s', found?.kept[0] ?? '')).toContain('fixture');
});

it.each([
  ['below a commit of the agent’s', FIXTURE, `${WORK}; git commit -q --no-verify --allow-empty -m 'on top'`],
  ['under another date', `export GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'\n${FIXTURE}`, WORK],
])('a commit of a hook %s stays on the branch, so it is for a person', async (_, hook, script) => {
  const scene = await withHook(hook);
  const found = await scene.iterate(script);
  expect(found?.did.join()).toContain('core.bare');
  expect(found).not.toHaveProperty('isHooks');
  expect(scene.gitOwn('log', '--format=%s', 'ralph/one')).toContain('fixture');
});

it('what the agent does outside is its own doing, also beside a hook that goes wrong', async () => {
  const scene = await withHook(FIXTURE);
  const found = await scene.iterate(`${WORK}; git config core.hooksPath /tmp`);
  expect(found?.did.join()).toContain('core.hookspath');
  expect(found).not.toHaveProperty('isHooks');
  expect(await scene.iterate('GIT_DIR=$(git rev-parse --git-dir) git -C / init -q')).not.toHaveProperty('isHooks');
});

it('what a hook makes after the agent has committed cannot be told from that, and nothing is taken off', async () => {
  const scene = await sealScene();
  writeFileSync(join(scene.common, 'hooks/post-commit'), `#!/bin/sh\n${FIXTURE}\n`, { mode: 0o755 });
  expect(await scene.iterate(WORK)).not.toHaveProperty('isHooks');
  expect(scene.gitOwn('log', '--format=%s', 'ralph/one')).toContain('work');
});

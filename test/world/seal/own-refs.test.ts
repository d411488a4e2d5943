import { describe, expect, it } from 'vitest';
import { sealScene } from './scene.ts';

const COMMIT = 'git commit -q --allow-empty -m more';

describe('a branch or tag that the loop made in an earlier iteration', () => {
  it.each([
    ['a branch it stands on', 'git checkout -qb feature', COMMIT],
    [
      'a branch it comes back to',
      `git checkout -q -b feature; git checkout -q -`,
      `git checkout -q feature; ${COMMIT}`,
    ],
    ['a branch it names', 'git branch feature', `${COMMIT}; git branch -f feature`],
    ['a tag', 'git tag -a -m one feature', `${COMMIT}; git tag -f feature`],
    [
      'a branch made past its command',
      'git update-ref refs/heads/feature HEAD',
      `${COMMIT}; git update-ref refs/heads/feature HEAD`,
    ],
    ['a branch it removes', 'git switch -q -c feature; git switch -q -', 'git branch -D feature'],
  ])('is its own: %s', async (_, make, move) => {
    const { iterate, git } = await sealScene();
    expect(await iterate(make)).toBeNull();
    const made = git('rev-parse', 'feature^{commit}');
    expect(await iterate(':'), 'an iteration in which it rests').toBeNull();
    expect(await iterate(move)).toBeNull();
    expect(git('for-each-ref', '--format=%(objectname)', 'refs/heads/feature', 'refs/tags/feature')).not.toContain(
      made,
    );
  });

  it('is not its own where somebody else made it, or made it again, or stands on it', async () => {
    const { iterate, git, dir } = await sealScene();
    const move = 'git update-ref refs/heads/feature $(git commit-tree -p HEAD -m stray HEAD^{tree})';
    const user = `env -u GIT_TRACE2_EVENT git -C ${dir}`;
    expect(await iterate(`${user} branch feature; git log -1 feature; git branch mine feature`)).toBeNull();
    expect((await iterate(move))?.did, 'made by the user while the agent worked').toHaveLength(1);
    git('branch', '-D', 'feature');
    expect(await iterate('git branch feature')).toBeNull();
    git('branch', '-D', 'feature');
    expect(await iterate(':')).toBeNull();
    git('branch', 'feature');
    expect((await iterate(move))?.did, 'made again by the user').toHaveLength(1);
    git('branch', '-D', 'feature');
    expect(await iterate('git branch feature')).toBeNull();
    git('switch', '-q', 'feature');
    expect((await iterate(move))?.did, 'the user stands on it').toHaveLength(1);
  });
});

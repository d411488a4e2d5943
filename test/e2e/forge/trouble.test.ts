import { describe, expect, it } from 'vitest';
import { writeScenario } from '../harness/project.ts';
import { startRalph } from '../harness/ralph.ts';
import { until } from '../harness/until.ts';
import { forgeProject } from './project.ts';

const FORGE_ENV = { GH_TOKEN: 'octo-token' };

describe('trouble with the forge', () => {
  it('A19.3 a secondary limit holds back pull requests, not loops', async () => {
    const { forge, run } = await forgeProject({ tasks: ['a', 'b'] });
    forge.faults.push({ method: 'GET', path: /\/pulls$/, how: 429, headers: () => ({ 'retry-after': '3' }), times: 1 });
    const ran = await run(['run']);
    expect({ code: ran.code, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('asks to wait');
    await until('both to be opened', async () => {
      await run(['pr', 'sync']);
      return forge.pulls.length === 2;
    });
  });

  it('A19.2 killed between the creation and the record: exactly one pull request', async () => {
    const { forge, place, run } = await forgeProject({ tasks: ['a'] });
    const host = startRalph(place, ['run'], { env: FORGE_ENV });
    await until('the pull request', () => forge.pulls.length === 1);
    host.signal('SIGKILL');
    await host.ended;
    const after = await run(['run']);
    expect({ code: after.code, err: after.stderr }).toMatchObject({ code: 0 });
    expect(forge.pulls).toHaveLength(1);
    const listed = await run(['pr', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ pulls: [{ number: 1 }] });
  });

  it('A19.1 what does not merge with main goes back to its loop with a recipe', async () => {
    const { forge, place, run } = await forgeProject({ tasks: ['a'], files: { 'a.txt': 'start\n' } });
    await run(['run']);
    const git = (...args: string[]): string =>
      place.git('-C', forge.bare, '-c', 'user.name=p', '-c', 'user.email=p@x', ...args);
    // A person lands another version of the same file.
    place.git('checkout', '-q', '-b', 'theirs', 'main');
    place.put('a.txt', 'theirs\n');
    place.git('commit', '-q', '-am', 'Theirs');
    git('fetch', '-q', place.repo, 'theirs:main');
    place.git('checkout', '-q', 'main');
    const [pull] = forge.pulls;
    if (pull === undefined) throw new Error('there is none');
    forge.setCheck(forge.headOf(pull), 'ci', 'success');
    const merger = await run(['merger']);
    expect({ code: merger.code, err: merger.stderr }).toMatchObject({ code: 0 });
    expect(pull.merged).toBeNull();
    expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringContaining('does not merge with main')]);
    writeScenario(place, {
      agent: { iterations: [[{ write: { path: 'a.txt', text: 'both\n' } }, { claim: true }]] },
    });
    const mended = await run(['run']);
    expect({ code: mended.code, err: mended.stderr }).toMatchObject({ code: 0 });
    forge.setCheck(forge.headOf(pull), 'ci', 'success');
    const again = await run(['merger']);
    expect({ code: again.code, err: again.stderr }).toMatchObject({ code: 0 });
    expect(pull.merged).not.toBeNull();
    expect(git('show', 'main:a.txt')).toBe('both');
  });

  it('A19.1 a force-push after the approval is not merged', async () => {
    const { forge, place, run } = await forgeProject({ tasks: ['a'], config: { forge: { review: 'agent' } } });
    await run(['run']);
    const [pull] = forge.pulls;
    if (pull === undefined) throw new Error('there is none');
    forge.setCheck(forge.headOf(pull), 'ci', 'success');
    forge.review(1, 'rev-token', 'APPROVED');
    const other = place.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Rewritten');
    place.git('-C', forge.bare, 'fetch', '-q', place.repo, other);
    place.git('-C', forge.bare, 'update-ref', `refs/heads/${pull.branch}`, other);
    forge.setCheck(other, 'ci', 'success');
    forge.headOf(pull);
    const merger = await run(['merger']);
    expect([0, 1]).toContain(merger.code);
    expect(pull.merged).toBeNull();
    expect(place.git('-C', forge.bare, 'merge-base', '--is-ancestor', other, pull.branch)).toBe('');
  });

  it('A19.1 the forge merges it by itself where that is set', async () => {
    const { forge, place, run } = await forgeProject({
      tasks: ['a'],
      config: { forge: { merge: 'auto', checks: 'none' } },
    });
    forge.rules.review = true;
    const ran = await run(['run']);
    const synced = await run(['pr', 'sync']);
    expect({ armed: forge.pulls[0]?.armed, err: ran.stderr + synced.stderr }).toMatchObject({ armed: 'merge' });
    forge.review(1, 'rev-token', 'APPROVED');
    expect(forge.pulls[0]?.merged).not.toBeNull();
    await run(['pr', 'sync']);
    const shown = await run(['status', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ counts: { landed: 1 } });
    expect(place.git('rev-parse', 'main')).not.toBe(forge.pulls[0]?.merged);
  });
});

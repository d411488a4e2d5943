import { describe, expect, it } from 'vitest';
import { task, tellStory, TRACKER } from '../../test/sim/story.ts';
import { hostId, sha } from './ids.ts';
import type { Observed } from './reconcile.ts';
import { hostsToWatch, reconcile, worktreesToWatch } from './reconcile.ts';

const ME = hostId('h1');
const NOTHING: Observed = { deadHosts: [], missingWorktrees: [], targetHead: null, tracker: null };

function joined() {
  const story = tellStory();
  story.join('h1');
  story.join('h2');
  story.read(task('a'), task('b'));
  return story;
}

describe('reconcile', () => {
  it('writes nothing when nothing was seen, or nothing new', () => {
    const story = joined();
    story.write({ type: 'target-moved', head: sha('t') });
    const { digest, tasks } = story.state().trackers[TRACKER]!;
    expect(reconcile(story.state(), NOTHING, ME)).toEqual([]);
    const same = { ...NOTHING, targetHead: sha('t'), tracker: { path: TRACKER, digest, tasks } };
    expect(reconcile(story.state(), same, ME)).toEqual([]);
  });

  it('writes what the log lacks, and then nothing more', () => {
    const story = joined();
    const a = story.begin('a');
    const seen: Observed = {
      deadHosts: [hostId('h2')],
      missingWorktrees: [a],
      targetHead: sha('t'),
      tracker: { path: TRACKER, digest: 'new', tasks: [task('c')] },
    };
    const events = reconcile(story.state(), seen, ME);
    expect(events.map((event) => event.type)).toEqual(['host-lost', 'tasks-read', 'target-moved', 'worktree-lost']);
    story.write(...events);
    expect(reconcile(story.state(), seen, ME)).toEqual([]);
  });

  it('declares neither itself nor an unknown host dead', () => {
    const story = joined();
    expect(reconcile(story.state(), { ...NOTHING, deadHosts: [ME, hostId('unknown')] }, ME)).toEqual([]);
  });

  it('speaks of its own loops only, and only while they work', () => {
    const story = joined();
    const other = story.begin('a', { host: 'h2' });
    const parked = story.begin('b');
    story.iterate(parked, 'timed-out');
    expect(reconcile(story.state(), { ...NOTHING, missingWorktrees: [other, parked] }, ME)).toEqual([]);
  });
});

describe('what to look at', () => {
  it('every other host, and the worktrees of the own working loops', () => {
    const story = joined();
    const a = story.begin('a');
    story.begin('b', { host: 'h2' });
    expect(hostsToWatch(story.state(), ME).map((host) => host.id)).toEqual(['h2']);
    expect(hostsToWatch(story.state(), null)).toHaveLength(2);
    expect(worktreesToWatch(story.state(), ME)).toEqual([{ loop: a, path: `/w/${a}` }]);
    story.write({ type: 'worktree-lost', loop: a });
    expect(worktreesToWatch(story.state(), ME)).toEqual([]);
  });
});

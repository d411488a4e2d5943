import type { Command } from '../core/commands.ts';
import type { Failpoint } from './failpoint.ts';

/** Which points lie in the way of each command. A new command has none until somebody asks where it may be cut short. */
export const FAILPOINTS_OF: Readonly<Record<Command['type'], readonly Failpoint[]>> = {
  'make-worktree': [
    'wt.intent',
    'wt.after_admin',
    'wt.checked_out',
    'wt.done',
    'pool.claimed',
    'pool.moved',
    'pool.taken',
  ],
  'run-iteration': [
    'iter.start',
    'run.intent',
    'run.after_spawn',
    'run.before_identity',
    'run.after_identity',
    'run.exit_seen',
    'stop.term',
    'stop.kill',
    'stop.sweep',
    'run.exit_recorded',
    'iter.committed',
    'iter.ended',
  ],
  'run-gates': ['gate.stands', 'gate.start', 'gate.end', 'gate.back', 'keep.pinned'],
  'build-train': ['train.followed', 'train.built', 'train.held'],
  'test-candidate': ['wt.folder_gone', 'gate.start', 'gate.end', 'train.tested'],
  'advance-integration': ['land.before_sync', 'land.before_cas', 'land.after_cas', 'land.synced', 'land.done'],
  'update-worktree': [
    'update.begun',
    'land.before_cas',
    'land.after_cas',
    'land.synced',
    'update.moved',
    'update.done',
  ],
  'retire-worktree': ['retire.unpinned', 'pool.restored', 'pool.retired', 'retire.pooled', 'retire.done'],
  publish: [
    'publish.begun',
    'publish.journal',
    'publish.merged',
    'publish.ref',
    'publish.done',
    'publish.healed',
    'mutex.linked',
  ],
};

import type { Answer } from '../verbs/answer.ts';
import { flag, isList, optional, required } from './tool.ts';
import type { Parameter, Tool } from './tool.ts';
import { deleteBranchFor, renameBranchFor } from './worktree/branches.ts';
import { cleanUp, pruneGone } from './worktree/clean-up.ts';
import { type WorktreePlace, openPlace } from './worktree/find-worktree.ts';
import { listWorktreesFor, statusFor } from './worktree/look.ts';
import { detectIn, setUp, startWorktree } from './worktree/make.ts';
import { lockWorktree, moveWorktree, repairWorktree, unlockWorktree } from './worktree/place.ts';
import { refusal } from './worktree/told.ts';

const BY_PATH = optional('worktree_path', 'Path of the worktree. Either this or name.');
const BY_NAME = optional('name', 'Name of the worktree. Either this or worktree_path.');
const WHICH: readonly Parameter[] = [BY_PATH, BY_NAME];
const OR_HERE: readonly Parameter[] = [
  optional('worktree_path', 'Path of the worktree; with neither this nor name, the one of this session.'),
  BY_NAME,
];

type Kind = Pick<Tool, 'isReadOnly' | 'isTaking'>;
const READS: Kind = { isReadOnly: true };
const MAKES: Kind = { isReadOnly: false };
const TAKES: Kind = { isReadOnly: false, isTaking: true };

function tool(
  kind: Kind,
  name: string,
  description: string,
  parameters: readonly Parameter[],
  act: (place: WorktreePlace) => Promise<Answer>,
): Tool {
  return {
    ...kind,
    name,
    description,
    parameters,
    call: async (call, _, given) => act(await openPlace(call, given)),
    refused: refusal,
  };
}

/** Worktrees for a session outside a loop, by the names that people know. */
export const WORKTREE_TOOLS: readonly Tool[] = [
  tool(
    MAKES,
    'worktree_start',
    'Make a worktree on a branch of its own to work in, with ignored files such as .env, submodules and dependencies. A branch that exists is never reset.',
    [
      required('feature_name', 'Letters, digits and . _ - /; at most 100 of them.'),
      optional('base_branch', 'Branch or commit to start from; where work lands when left out.'),
      optional('task_description', 'What is to be done there; comes back in next_steps.'),
      optional('worktree_path', 'Folder for it; by the setting worktree.path when left out.'),
      optional('existing_branch', 'A branch that exists, to be checked out as it is.'),
    ],
    startWorktree,
  ),
  tool(
    READS,
    'worktree_list',
    'List every worktree of the repository.',
    [flag('include_status', 'Also what each holds.')],
    listWorktreesFor,
  ),
  tool(
    READS,
    'worktree_status',
    'Say what a worktree holds: staged, modified, untracked, unlanded, ahead and behind.',
    OR_HERE,
    statusFor,
  ),
  tool(
    TAKES,
    'worktree_cleanup',
    'Take a worktree away. Refused while it holds uncommitted or unlanded work; by force that is kept first and can be had back.',
    [
      ...WHICH,
      flag('auto_merge', 'Refused with the command that merges, if the branch has not landed.'),
      optional('target_branch', 'Must be the branch that work lands on.'),
      flag('force', 'Keep what it holds and take it away.'),
      flag('delete_branch', 'Also its branch, if we made it; true when left out.'),
    ],
    cleanUp,
  ),
  tool(
    MAKES,
    'worktree_move',
    'Move a worktree to a folder that is not there yet.',
    [
      ...WHICH,
      optional('current_path', 'The same as worktree_path.'),
      required('new_path', 'The folder; no part of it may be two dots.'),
    ],
    moveWorktree,
  ),
  tool(
    MAKES,
    'worktree_lock',
    'Lock a worktree against being moved, pruned and taken away.',
    [...OR_HERE, optional('reason', 'Why, in one line.')],
    lockWorktree,
  ),
  tool(MAKES, 'worktree_unlock', 'Unlock a worktree.', OR_HERE, unlockWorktree),
  tool(
    MAKES,
    'worktree_repair',
    'Let git find worktrees again whose folder was moved by hand.',
    [optional('worktree_path', 'Where the folder is now; every known one is looked at when left out.')],
    repairWorktree,
  ),
  tool(
    TAKES,
    'worktree_prune',
    'Forget worktrees whose folder is gone. Their branches stay; what was only staged is kept.',
    [flag('dry_run', 'Say what would go; change nothing.')],
    pruneGone,
  ),
  tool(
    MAKES,
    'worktree_rename_branch',
    'Rename a branch, also where it is checked out. No branch that exists is written over.',
    [required('old_name', 'The branch.'), required('new_name', 'Its new name.'), ...WHICH],
    renameBranchFor,
  ),
  tool(
    TAKES,
    'worktree_delete_branch',
    'Delete a branch that nobody stands on. Refused while it has unlanded commits; by force they are kept first.',
    [
      optional('branch', 'The branch; never the one that work lands on.'),
      optional('branch_name', 'The same as branch; one of the two is needed.'),
      flag('force', 'Keep unlanded commits and delete it.'),
      flag('delete_remote', 'Also on the remote, if it is named as ours are and has nothing we lack.'),
      optional('remote_name', 'Name of the remote; origin when left out.'),
    ],
    deleteBranchFor,
  ),
  tool(
    READS,
    'worktree_detect_ecosystems',
    'Say what a worktree is made with and how its dependencies are installed.',
    OR_HERE,
    detectIn,
  ),
  tool(
    MAKES,
    'worktree_run_setup',
    'Install what a worktree depends on.',
    [...OR_HERE, isList(optional('ecosystem_names', 'Only these, as worktree_detect_ecosystems names them.'))],
    setUp,
  ),
];

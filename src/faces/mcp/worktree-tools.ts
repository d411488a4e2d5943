import type { Answer } from '../verbs/answer.ts';
import { flag, optional, required } from './tool.ts';
import type { Parameter, Tool } from './tool.ts';
import { cleanUp } from './worktree/clean-up.ts';
import { type WorktreePlace, openPlace } from './worktree/find-worktree.ts';
import { listWorktreesFor, statusFor } from './worktree/look.ts';
import { startWorktree } from './worktree/make.ts';
import { refusal } from './worktree/told.ts';

const BY_NAME = optional('name', 'Name of the worktree. Either this or worktree_path.');

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
    [optional('worktree_path', 'Path of the worktree; with neither this nor name, the one of this session.'), BY_NAME],
    statusFor,
  ),
  tool(
    TAKES,
    'worktree_cleanup',
    'Take a worktree away. Refused while it holds uncommitted or unlanded work; by force that is kept first and can be had back.',
    [
      optional('worktree_path', 'Path of the worktree. Either this or name.'),
      BY_NAME,
      flag('auto_merge', 'Refused with the command that merges, if the branch has not landed.'),
      optional('target_branch', 'Must be the branch that work lands on.'),
      flag('force', 'Keep what it holds and take it away.'),
      flag('delete_branch', 'Also its branch, if we made it; true when left out.'),
    ],
    cleanUp,
  ),
];

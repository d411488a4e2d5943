import { AppError } from '../../core/model/errors.ts';
import { findRepository } from '../../world/git/run/repository.ts';
import { adminDirOf } from '../../world/git/files/worktree-admin.ts';
import { readLoopNote } from '../../world/worktrees/loop-notes.ts';
import { shimAbove } from '../../world/processes/shim-above.ts';
import type { CallerPlace } from '../verbs/caller.ts';
import type { Tool } from './tool.ts';
import { VERB_TOOLS } from './verb-tools.ts';
import { WORKTREE_TOOLS } from './worktree-tools.ts';

/**
 * What is offered here. An agent inside a loop has one worktree, and must make, move or take away no other: it gets the verbs alone.
 */
export const toolsFor = (place: CallerPlace): readonly Tool[] =>
  isInLoop(place) ? VERB_TOOLS : [...VERB_TOOLS, ...WORKTREE_TOOLS];

/** Null: nothing has that name. One that is there, but not here, is refused in words. */
export function toolCalled(place: CallerPlace, name: string): Tool | null {
  const here = toolsFor(place).find((tool) => tool.name === name);
  if (here !== undefined) return here;
  const elsewhere = WORKTREE_TOOLS.find((tool) => tool.name === name);
  return elsewhere === undefined ? null : { ...elsewhere, call: refuse };
}

async function refuse(): Promise<never> {
  throw new AppError('E_NESTED', 'worktrees are for sessions outside a loop, and this is one inside', {
    facts: ['an agent says what it needs, and a person decides'],
    remedy: 'ralph block "what worktree is needed, and what for"',
  });
}

/** Some clients pass no environment on to their servers: there the folder says it. */
function isInLoop({ claim, cwd }: CallerPlace): boolean {
  if (claim !== null || shimAbove() !== null) return true;
  try {
    const repo = findRepository(cwd);
    const adminDir = repo.linked ? adminDirOf(repo, repo.worktree) : null;
    return adminDir !== null && readLoopNote(adminDir) !== null;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

import { AppError } from '../../core/model/errors.ts';
import { adminDirOf } from '../../world/git/files/worktree-admin.ts';
import { findRepository } from '../../world/git/run/repository.ts';
import { shimAbove } from '../../world/processes/find-processes.ts';
import { readLoopNote } from '../../world/worktrees/loop-notes.ts';
import type { CommandSpec, ToolMark } from '../call/command-spec.ts';
import type { CallerPlace } from '../verbs/caller.ts';
import type { Parameter } from './parameters.ts';
import { parametersOf } from './parameters.ts';

/** A command that MCP clients may call. */
export interface Tool {
  readonly name: string;
  readonly spec: CommandSpec;
  readonly mark: ToolMark;
  readonly parameters: readonly Parameter[];
}

/** Every command that is marked as a tool. */
export const toolsOf = (commands: readonly CommandSpec[]): readonly Tool[] =>
  commands.flatMap((spec) =>
    spec.tool === undefined
      ? []
      : [
          {
            name: spec.tool.name ?? spec.name.replaceAll(' ', '_'),
            spec,
            mark: spec.tool,
            parameters: parametersOf(spec),
          },
        ],
  );

/** An agent inside a loop says how far it is; it starts, lands and takes away nothing. */
export const offered = (tools: readonly Tool[], place: CallerPlace): readonly Tool[] =>
  isInLoop(place) ? tools.filter(({ mark }) => mark.isForLoops) : tools;

/** What is there, but not here, is refused in words. */
export function refuseElsewhere({ name, mark }: Tool, place: CallerPlace): void {
  if (mark.isForLoops === true || !isInLoop(place)) return;
  throw new AppError('E_NESTED', `${name} is for sessions outside a loop, and this is one inside`, {
    facts: ['an agent says what it needs, and a person decides'],
    remedy: 'ralph block "what is needed, and what for"',
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

import type { ExitCode } from '../../core/errors.ts';
import { EXIT } from '../../core/errors.ts';
import type { Loop } from '../../core/model.ts';
import type { Repository } from '../../world/git/repository.ts';
import { handle as land } from './commands/land.ts';
import { toOwnTarget } from './as-started.ts';
import type { Call } from './handler.ts';
import { readState } from './project.ts';

/** Lands one loop. What became of that one decides; others that are parked do not. */
export async function landOne(call: Call, repo: Repository, { id }: Loop): Promise<ExitCode> {
  const exit = await land({ ...toOwnTarget(call, repo, id), args: [id] });
  if (exit !== EXIT.ok && exit !== EXIT.parked) return exit;
  return (await readState(repo)).loops[id]?.phase.at === 'landed' ? EXIT.ok : EXIT.parked;
}

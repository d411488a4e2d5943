import { AppError } from '../../../core/model/errors.ts';
import type { State } from '../../../core/model/model.ts';
import { reachedLimit } from '../../../core/model/project-limits.ts';
import type { Settings } from '../../../core/model/settings.ts';

/** Who asks for one loop is told at once that none may start. */
export function refuseAtLimit(state: State, { project }: Settings): void {
  const reached = reachedLimit(state, project);
  if (reached === null) return;
  throw new AppError('E_LIMIT', `a limit of the project is reached, so nothing starts: ${reached.spent}`, {
    facts: [`it is set by ${reached.key}`],
    remedy: reached.next,
  });
}

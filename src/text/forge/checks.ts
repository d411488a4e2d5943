import type { CheckVerdict, ChecksSeen } from '../../core/model/pull.ts';

/** One check of a head, whoever reports it. */
export interface CheckSaid {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
  readonly is: Exclude<CheckVerdict, 'none'>;
}

/** All checks of a head as one verdict. Nothing at all is never green. */
export function joinChecks(checks: readonly CheckSaid[]): ChecksSeen {
  const red = checks.filter(({ is }) => is === 'red');
  const isPending = checks.some(({ is }) => is === 'pending');
  const verdict = red.length > 0 ? 'red' : isPending ? 'pending' : checks.length > 0 ? 'green' : 'none';
  return { verdict, failed: red.map(({ id, name, url }) => ({ id, name, url })) };
}

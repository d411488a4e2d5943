import type { Sha } from '../../core/model/ids.ts';

/**
 * The one command that writes into the user's checkout. Options that `branch.<name>.mergeOptions` could have set are set back; an
 * ignored file that the new commit tracks must stop it, not be overwritten.
 */
export function mergeCommand(to: Sha): readonly string[] {
  return [
    'merge',
    '--ff-only',
    '--no-squash',
    '--commit',
    '--no-overwrite-ignore',
    '--no-autostash',
    '--no-stat',
    '-q',
    to,
  ];
}

import { AppError } from '../../../core/errors.ts';
import type { Settings } from '../../../core/settings.ts';
import { retype } from '../../../text/start/retype.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';
import { ask } from '../ask.ts';
import type { Call } from '../handler.ts';
import { describeOccupant } from './describe-occupant.ts';

/** Beside whoever loops here, in their place, or not at all. */
export type Way = 'parallel' | 'replace' | 'cancel';

export interface Crowd {
  readonly feature: string;
  readonly occupants: readonly Occupant[];
  /** Where the new work goes; null: it does not exist yet. */
  readonly worktree: string | null;
  /** How going beside them would look, in a few words. */
  readonly beside: string;
  readonly strategy: Settings['autoSpawnStrategy'];
}

const FLAGS = ['parallel', 'replace', 'cancel'] as const;
const ASKED_MAX = 3;

/** Warns, and never blocks: the user decides, by a flag, by the settings, or when asked. With nobody to ask it is a no. */
export async function chooseWay(call: Call, crowd: Crowd): Promise<Way> {
  const { out } = call;
  for (const occupant of crowd.occupants) out.say(out.style.yellow(`warning: ${describeOccupant(occupant)}`));
  const given = FLAGS.filter((flag) => call.flags[flag] === true);
  if (given.length > 1)
    throw new AppError('E_USAGE', `--${given.join(' and --')} exclude each other`, { remedy: 'ralph start --help' });
  const isFull = isOccupied(crowd);
  const [flag] = given;
  if (flag === 'parallel' && isFull) throw refused(call, crowd);
  if (flag === 'cancel') throw refused(call, crowd);
  if (flag !== undefined) return flag;
  // Whoever says how to start beside them has said that.
  const isHow = call.flags['print'] === true || call.flags['tmux'] === true;
  if ((isHow || crowd.strategy !== 'ask') && !isFull) return 'parallel';
  if (!process.stdin.isTTY || !process.stderr.isTTY || call.flags['json'] === true) throw refused(call, crowd);
  return askFor(call, crowd, isFull);
}

/** Two loops in one worktree would be one mess. */
const isOccupied = ({ occupants, worktree }: Crowd): boolean =>
  occupants.some((one) => one.kind === 'loop' && one.checkout === worktree);

function refused(call: Call, crowd: Crowd): AppError {
  const given = {
    '--cancel': null,
    '--parallel': null,
    [isOccupied(crowd) ? '--replace' : '--parallel']: true,
  } as const;
  const ways = isOccupied(crowd)
    ? ['--replace stops it first; its work is kept']
    : [`--parallel starts ${crowd.feature} beside it`, '--replace stops it first; its work is kept'];
  return new AppError('E_BUSY', `${crowd.feature} was not started: somebody loops here already`, {
    facts: [...crowd.occupants.map(describeOccupant), ...ways],
    remedy: retype(call.words, given),
  });
}

async function askFor({ out }: Call, { feature, beside }: Crowd, isFull: boolean): Promise<Way> {
  const ways: readonly (readonly [string, Way, string])[] = [
    ...(isFull ? [] : [['A', 'parallel', `start ${feature} beside it: ${beside} (recommended)`] as const]),
    ['B', 'replace', `stop it, keep what it did, and start ${feature} here`],
    ['C', 'cancel', 'cancel'],
  ];
  for (const [letter, , text] of ways) out.say(`${letter}) ${text}`);
  const letters = ways.map(([letter]) => letter).join('/');
  const chosen = await ask({
    text: `Your choice (${letters}): `,
    fitting: (answer) => ways.find(([letter]) => letter === answer.trim().toUpperCase()),
    triesMax: ASKED_MAX,
  });
  return chosen?.[1] ?? 'cancel';
}

import { AppError } from '../../../core/model/errors.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { retype } from '../../../text/start/retype.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';
import { ask } from '../show/ask.ts';
import type { Call } from '../../call/handler.ts';
import { describeOccupant, nameOccupant } from './describe-occupant.ts';

/** Beside whoever loops here, started or handed over as a command to paste; in their place; or not at all. */
export type Way = 'parallel' | 'copy' | 'replace' | 'cancel';

export interface Crowd {
  readonly feature: string;
  readonly occupants: readonly Occupant[];
  /** Where the new work goes; null: it does not exist yet. */
  readonly worktree: string | null;
  /** Where it would start beside them; null: only by the command, in whatever terminal that is pasted into. */
  readonly tmux: 'window' | 'session' | null;
  readonly isTmuxMissing: boolean;
  readonly strategy: Settings['autoSpawnStrategy'];
}

const FLAGS = ['parallel', 'replace', 'cancel'] as const;
const ASKED_MAX = 3;
const FIRST_LETTER = 65;
/** What people without it are told. */
export const INSTALL_TMUX = 'with tmux installed it would start by itself: brew install tmux, or apt install tmux';

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
    : [
        `--parallel starts ${crowd.feature} beside it`,
        `--print prints the command that starts ${crowd.feature}, to paste into another terminal`,
        '--replace stops it first; its work is kept',
      ];
  return new AppError('E_BUSY', `${crowd.feature} was not started: a loop already works here`, {
    facts: [...crowd.occupants.map(describeOccupant), ...ways],
    remedy: retype(call.words, given),
  });
}

async function askFor({ out }: Call, crowd: Crowd, isFull: boolean): Promise<Way> {
  const ways = waysOf(crowd)
    .map(([way, text], at) => ({ letter: String.fromCodePoint(FIRST_LETTER + at), way, text }))
    .filter(({ way }) => !isFull || way === 'replace' || way === 'cancel');
  for (const { letter, way, text } of ways)
    out.say(`${letter}) ${text}${way === ways[0]?.way && !isFull ? ' (recommended)' : ''}`);
  const tip = isFull ? null : tipOf(crowd);
  if (tip !== null) out.say(`tip: ${tip}`);
  const chosen = await ask({
    text: `Your choice (${ways.map(({ letter }) => letter).join('/')}): `,
    fitting: (answer) => ways.find(({ letter }) => letter === answer.trim().toUpperCase()),
    triesMax: ASKED_MAX,
  });
  return chosen?.way ?? 'cancel';
}

function waysOf({ feature, occupants, tmux }: Crowd): readonly (readonly [Way, string])[] {
  const who = occupants.length === 1 ? 'it' : 'they';
  const place = tmux === 'window' ? 'a new tmux window' : 'a tmux session in the background';
  return [
    ...(tmux === null ? [] : [['parallel', `start ${feature} beside it: ${place}`] as const]),
    ['copy', `copy the command that starts ${feature}, to paste into another terminal`],
    ['replace', `stop ${occupants.map(nameOccupant).join(' and ')}, keep what ${who} did, and start ${feature} here`],
    ['cancel', 'cancel'],
  ];
}

function tipOf({ tmux, isTmuxMissing }: Crowd): string | null {
  if (tmux === 'session')
    return 'in a terminal begun with `tmux new -s work` it opens as a window beside this one, at once';
  return isTmuxMissing ? INSTALL_TMUX : null;
}

import { AppError } from '../../../core/model/errors.ts';
import { readDurationMs } from '../../../text/config/duration.ts';
import type { Clock } from '../../../world/contract/world.ts';
import type { Call } from '../../call/handler.ts';

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** When a run begins nothing new any more: names the flag whose time is over; null: none is. */
export function runEnd({ flags }: Call, clock: Clock): () => string | null {
  const { for: length, until } = flags;
  const ends = [
    ...(typeof length === 'string' ? [after(length, clock)] : []),
    ...(typeof until === 'string' ? [at(until, clock)] : []),
  ];
  return () => ends.find(({ isOver }) => isOver())?.flag ?? null;
}

interface End {
  readonly flag: string;
  readonly isOver: () => boolean;
}

/** By the clock that does not jump: a machine that sleeps has not used the time. */
function after(length: string, clock: Clock): End {
  const flag = `--for ${length}`;
  const ms = readDurationMs(length);
  if (ms === null) throw wrong(flag, 'a time such as 8h or 90m');
  const endMs = clock.awakeMs() + ms;
  return { flag, isOver: () => clock.awakeMs() >= endMs };
}

/** The next time that a person's clock shows it. */
function at(time: string, clock: Clock): End {
  const flag = `--until ${time}`;
  const [, hours, minutes] = TIME.exec(time) ?? [];
  if (hours === undefined || minutes === undefined) throw wrong(flag, 'a time of the clock such as 07:00');
  const end = new Date(clock.nowMs());
  end.setHours(Number(hours), Number(minutes), 0, 0);
  if (end.getTime() <= clock.nowMs()) end.setDate(end.getDate() + 1);
  return { flag, isOver: () => clock.nowMs() >= end.getTime() };
}

const wrong = (flag: string, wanted: string): AppError =>
  new AppError('E_USAGE', `${flag}: not ${wanted}`, { remedy: 'ralph run --help' });

import { AppError } from '../../../core/model/errors.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { askUpstream } from '../../../world/landing/ask-upstream.ts';
import type { UpstreamNews } from '../../../world/landing/ask-upstream.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Clock } from '../../../world/contract/world.ts';
import { sayIfLong } from './say-long.ts';
import type { Call } from '../../call/handler.ts';
import { howMany } from '../../../core/model/describe-time.ts';

const REASON_CHARS = 200;
/** A moment longer than an answer counts as fresh. */
const ASK_EVERY_MS = 65_000;

/** Whether the remote that the target follows may be asked. */
export const mayFetch = ({ flags }: Call, { landing }: Settings): boolean => flags['fetch'] !== false && landing.fetch;

/** Before work begins: how the target stands to what it follows. Whatever happens here, work goes on. */
export async function sayUpstream(call: Call, target: string, signal: AbortSignal): Promise<void> {
  const warn = (text: string): void => call.out.say(call.out.style.yellow(`warning: ${text}`));
  try {
    const asked = { repo: findRepository(call.cwd), env: call.env, target, signal };
    const news = await sayIfLong(call.out, `asking the remote what is new for ${target}`, () => askUpstream(asked));
    if (news !== null && !signal.aborted) for (const line of inWords(news, target)) warn(line);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (!signal.aborted) warn(`${target} could not be fetched: ${shortLine(error.message, REASON_CHARS)}`);
  }
}

/** As long as a task may be claimed, what others have done meanwhile is asked for: now and then, and nobody waits for it. */
export async function keepAsking(
  call: Call,
  { target, clock, signal }: { readonly target: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const repo = findRepository(call.cwd);
  for (;;) {
    await clock.sleep(ASK_EVERY_MS, signal);
    if (signal.aborted) return;
    // What was wrong with it was said at the start, and the next time may be better.
    await askUpstream({ repo, env: call.env, target, signal }).catch(() => null);
  }
}

function inWords({ name, remote, failure, ahead, behind, remedy }: UpstreamNews, target: string): readonly string[] {
  const unasked =
    failure === null
      ? []
      : [
          `${remote} could not be asked for ${target}, continuing with what is here: ${shortLine(failure, REASON_CHARS)}`,
        ];
  if (behind === 0) return unasked;
  const how =
    ahead === 0
      ? `${target} is ${commits(behind)} behind ${name}`
      : `${target} and ${name} have diverged: ${commits(ahead)} only here, ${commits(behind)} only there`;
  return [...unasked, `${how}. Work begins from ${target} as it is here; to take them in: ${remedy}`];
}

const commits = (count: number): string => howMany(count, 'commit');

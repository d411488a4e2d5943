import type { Event } from '../../core/model/events.ts';
import type { GateReport } from '../../core/model/model.ts';
import { describeMs } from '../../core/model/describe-time.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { cleanLine, cleanText } from '../../text/screen/clean.ts';
import { loopOf } from './pull-context.ts';
import type { PullContext } from './pull-context.ts';

type Of<Do extends PullWish['do']> = Extract<PullWish, { readonly do: Do }>;

const TAIL_CHARS_MAX = 4000;
const LOGS_MAX = 2;

/** Red checks go back to whoever made the head, with the end of what they printed. */
export async function mendChecks(context: PullContext, { loop: id, head }: Of<'mend'>): Promise<readonly Event[]> {
  const { seen } = loopOf(context, id).pull;
  const failed = seen?.checks.failed ?? [];
  const tails: string[] = [];
  for (const { id: check, name, url } of failed.slice(0, LOGS_MAX)) {
    const log = cleanText(await context.door.forge.logTail(check)).trim();
    tails.push([`${name}${url === null ? '' : ` (${url})`}`, log.slice(-TAIL_CHARS_MAX)].join('\n'));
  }
  const names = failed.map(({ name }) => cleanLine(name)).join(', ');
  const report: GateReport = { verdict: 'red', failing: names, tail: tails.join('\n\n').slice(-TAIL_CHARS_MAX) };
  const detail = `checks of its pull request are red: ${names}`;
  return [{ type: 'pull-returned', loop: id, head, why: 'checks', detail, report, paths: [] }];
}

/** Nothing an agent can do: a person is asked. */
export function setAside(context: PullContext, { loop: id, head }: Of<'set-aside'>): readonly Event[] {
  const { seen, sentFor } = loopOf(context, id).pull;
  const { forge } = context.policy;
  const park = (why: 'unmended' | 'rounds' | 'unchecked', detail: string): readonly Event[] => [
    { type: 'pull-parked', loop: id, head, why, detail },
  ];
  if (seen?.checks.verdict !== 'red')
    return park(
      'unchecked',
      `no check came within ${describeMs(forge?.ciDeadlineMs ?? 0)}; in a repository without CI: ralph config set forge.checks none`,
    );
  const names = seen.checks.failed.map(({ name }) => cleanLine(name)).join(', ');
  return sentFor.includes(head)
    ? park('unmended', `its checks are red again on the head that was to mend them: ${names}`)
    : park('rounds', `its checks are red, and it went back ${forge?.rounds ?? 0} times: ${names}`);
}

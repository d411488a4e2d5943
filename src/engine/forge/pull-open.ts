import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import { findTask, GITHUB, trackerOf } from '../../core/model/tasks.ts';
import type { Sha } from '../../core/model/ids.ts';
import { isProved } from '../../core/pull/pull-wishes.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { renderLandingTemplate } from '../../text/config/landing-template.ts';
import { readMark } from '../../text/forge/marks.ts';
import { answerMark, answerText, pullBody } from '../../text/forge/pull-text.ts';
import { cleanLine, cutChars } from '../../text/screen/clean.ts';
import type { PullRow } from '../../world/contract/forge.ts';
import { loopOf, targetOf, taskNameOf } from './pull-context.ts';
import type { PullContext, Pulled } from './pull-context.ts';

type Of<Do extends PullWish['do']> = Extract<PullWish, { readonly do: Do }>;

/** Who was suspended in between looks again before it acts. */
const STALE_MS = 60_000;
const TITLE_CHARS_MAX = 200;
const COMMITS_MAX = 50;

/** Finds the pull request of the branch, whatever it goes into, closed ones too; else opens one. */
export async function openPull(context: PullContext, { loop: id }: Of<'open'>): Promise<readonly Event[]> {
  const { forge } = context.door;
  const loop = loopOf(context, id);
  const begunMs = context.world.clock.awakeMs();
  const all = await forge.ofBranch(loop.branch);
  const found = all.find(({ state }) => state === 'open') ?? all.at(-1);
  if (found !== undefined) {
    if (found.state === 'open') await decorate(context, found.number, loop);
    return [{ type: 'pull-opened', loop: id, number: found.number, url: found.url }];
  }
  const body = await bodyOf(context, loop);
  if (context.world.clock.awakeMs() - begunMs > STALE_MS) return [];
  const made = await forge.open({
    branch: loop.branch,
    target: targetOf(context, loop),
    title: titleOf(context, loop),
    body,
  });
  // There is one by now: the next look finds it.
  if (made === null) return [];
  await decorate(context, made.number, loop);
  return [{ type: 'pull-opened', loop: id, number: made.number, url: made.url }];
}

const NEEDS_LABEL = 'needs-approval';

async function decorate({ door, pull, onWarning }: PullContext, number: number, loop: Pulled): Promise<void> {
  const labels = loop.pull.needs === null ? pull.labels : [...pull.labels, NEEDS_LABEL];
  const refused = await door.forge.decorate(number, { ...pull, labels });
  for (const one of refused) onWarning(`#${number}: ${one}`);
}

function titleOf(context: PullContext, loop: Pulled): string {
  const template = context.pull.title;
  const [line = ''] = (template === null ? loop.title : render(context, loop, template)).trim().split('\n');
  return cutChars(cleanLine(line), TITLE_CHARS_MAX);
}

const render = (context: PullContext, loop: Pulled, template: string): string =>
  renderLandingTemplate(template, {
    task_id: cleanLine(taskNameOf(context, loop)),
    title: cleanLine(loop.title),
    branch: cleanLine(loop.branch),
    loop: cleanLine(loop.id),
    agent: cleanLine(loop.agent),
    iterations: String(loop.counted),
    target: cleanLine(targetOf(context, loop)),
  });

async function bodyOf(context: PullContext, loop: Pulled): Promise<string> {
  const { gateCommands, pull } = context;
  const task = findTask(context.state(), loop.task);
  const done = await commitsOf(context, loop);
  return pullBody({
    loop: loop.id,
    // There it is a link to the issue.
    task: `${trackerOf(context.state(), loop.task) === GITHUB ? '#' : ''}${taskNameOf(context, loop)}`,
    title: loop.title,
    body: task === null || task.body.trim() === loop.title ? '' : task.body,
    acceptance: task?.acceptance ?? [],
    commits: done,
    said: loop.lastSaid,
    gates: gateCommands,
    verdict: loop.lastGate?.verdict ?? null,
    together: await provedWith(context, loop),
    costUsd: loop.usage.costUsd,
    iterations: loop.counted,
    agent: loop.agent,
    needs: loop.pull.needs,
    opening: pull.body === null ? null : render(context, loop, pull.body),
  });
}

/** The target, where our gates have passed the very tree that the forge would make of both as they are now. */
async function provedWith(
  context: PullContext,
  loop: Pulled,
): Promise<{ readonly target: string; readonly commit: Sha } | null> {
  // A quick loop is done before anything was landed or looked at: then main is where it began.
  const main = context.state().integration ?? loop.base;
  const host = context.host();
  const { head } = loop.pull;
  if (main === null || host === null || head === null || !host.policy.hasGates) return null;
  const met = await context.door.git.meet(main, head);
  const isGreen = 'tree' in met && isProved(context.state(), host, met.tree);
  return isGreen ? { target: targetOf(context, loop), commit: main } : null;
}

async function commitsOf({ world }: PullContext, { base, head }: Pulled): Promise<readonly string[]> {
  if (base === null || head === null) return [];
  const { commits } = await world.integration.describe(base, head).catch(() => ({ commits: [] as readonly string[] }));
  return commits.slice(-COMMITS_MAX);
}

/** Once for each comment, with the commit that stands in the pull request now. */
export async function answer(
  context: PullContext,
  { loop: id, number, comment }: Of<'answer'>,
): Promise<readonly Event[]> {
  const { forge } = context.door;
  const { head } = loopOf(context, id).pull;
  const there = await forge.comments(number);
  const isSaid = there.some((one) => one.mark === answerMark(comment));
  if (!isSaid && head !== null) await forge.say(number, answerText(comment, head));
  return [{ type: 'comment-answered', loop: id, comment }];
}

/** Says something of ours once: the mark tells whether it stands there. */
export async function sayOnce({ door: { forge } }: PullContext, number: number, text: string): Promise<void> {
  const wanted = readMark(text);
  const there = await forge.comments(number);
  if (!there.some((one) => one.mark === wanted)) await forge.say(number, text);
}

/** Closed where it stays open though its work is over. */
export async function closePull(context: PullContext, { loop: id, number }: Of<'close'>): Promise<readonly Event[]> {
  const { forge } = context.door;
  const loop = loopOf(context, id);
  const now = await forge.pull(number);
  if (now.isMerged && now.target === targetOf(context, loop) && now.mergeCommit !== null)
    return [{ type: 'pull-merged', loop: id, commit: now.mergeCommit, isProved: false }];
  if (now.state === 'open') await forge.setState(number, 'closed');
  return [{ type: 'pull-ended', loop: id }];
}

/** Open again where a person took back what closed it. */
export async function reopenPull(context: PullContext, { loop: id, number }: Of<'reopen'>): Promise<readonly Event[]> {
  const { forge } = context.door;
  const loop = loopOf(context, id);
  const now = await forge.pull(number);
  if (now.isMerged && now.target === targetOf(context, loop) && now.mergeCommit !== null)
    return [{ type: 'pull-merged', loop: id, commit: now.mergeCommit, isProved: false }];
  try {
    if (now.state === 'closed') await forge.setState(number, 'open');
  } catch (error) {
    // No answer says nothing about it.
    if (!(error instanceof AppError) || !/ refuses /.test(error.message)) throw error;
    return [{ type: 'pull-parked', loop: id, head: null, why: 'closed', detail: error.message }];
  }
  return [{ type: 'pull-reopened', loop: id }];
}

/** Two of one branch: the younger was opened by a host that was suspended meanwhile. */
export async function closeDoubles(
  { door: { forge } }: PullContext,
  loop: Pulled,
  rows: readonly PullRow[],
): Promise<void> {
  const { number } = loop.pull;
  const doubles = rows.filter((row) => row.branch === loop.branch && row.state === 'open' && row.number !== number);
  for (const row of doubles) {
    const { body } = await forge.pull(row.number);
    if (readMark(body) === `loop:${loop.id}`) await forge.setState(row.number, 'closed');
  }
}

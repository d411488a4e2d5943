import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GateReport } from '../../core/model/model.ts';
import type { PullSeen } from '../../core/model/pull.ts';
import { describeRed } from '../../core/model/line-that-matters.ts';
import { isProved, whyNotMerged } from '../../core/pull/pull-wishes.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { timeoutFrom } from '../../core/train/pace.ts';
import { trailersOf } from '../../text/commit-message.ts';
import { conflictText } from '../../text/forge/pull-text.ts';
import type { MergeOrder, PullFacts } from '../../world/contract/forge.ts';
import { landingText } from '../effects/landing-text.ts';
import { loopOf, mainNow, markingOf, targetOf } from './pull-context.ts';
import type { PullContext, Pulled } from './pull-context.ts';
import { mergedEvent, readPull } from './pull-look.ts';
import { sayOnce } from './pull-open.ts';

type Settle = Extract<PullWish, { readonly do: 'settle' }>;

/** Who slept in between looks again before it merges. */
const STALE_MS = 60_000;

/** What this process found out about a head and a base; lost, it is found out once more. */
export type Fits = Set<string>;

/**
 * The next one that nothing but the proof keeps from being merged. First how it meets main as it is now; then, where we merge, the
 * tree that both make has to be green; then everything is read once more, and the merge sent with the head that was proved.
 */
export async function settlePull(context: PullContext, fits: Fits, wish: Settle): Promise<readonly Event[]> {
  const loop = loopOf(context, wish.loop);
  const { git, forge } = context.door;
  const begunMs = context.world.clock.awakeMs();
  const base = await mainNow(context);
  if (base === null) return [];
  const done = await doneBy(context, loop, wish, base);
  if (done !== null) return done;
  const met = await git.meet(base, wish.head);
  if ('conflicts' in met) return mendConflict(context, loop, wish, base, met.conflicts);
  const how = context.policy.forge?.merge ?? 'person';
  if (how === 'person') {
    fits.add(`${base}:${wish.head}`);
    return [];
  }
  if (how === 'auto') return armPull(context, loop, wish, fits, base);
  // In the forge's queue by now: what stands there is merged by nobody else.
  if (loop.pull.armed === wish.head) {
    fits.add(`${base}:${wish.head}`);
    return [];
  }
  const tested = await prove(context, loop, met);
  if (tested !== null) return tested;
  const facts = await forge.pull(wish.number);
  const merged = mergedEvent(context, loop, facts);
  if (merged !== null) return [merged];
  const checks = await forge.checks(wish.head);
  const read = await readPull(context, loop, facts);
  const seen: PullSeen = { ...read, checks };
  // Last, because nothing on the forge guards it.
  const now = await git.tipOf(targetOf(context, loop));
  const host = context.host();
  const why = host === null ? 'this host is gone' : whyNotMerged(context.state(), host.policy, loop, seen);
  if (why !== null || now !== base) return [{ type: 'pull-seen', loop: loop.id, seen }];
  if (facts.canMerge === null || context.world.clock.awakeMs() - begunMs > STALE_MS) return [];
  const { hasQueue } = await forge.rules(targetOf(context, loop));
  return hasQueue ? armPull(context, loop, wish, fits, base) : merge(context, loop, wish, base);
}

/** On the target already, by this very work or by another's. */
async function doneBy(
  context: PullContext,
  loop: Pulled,
  { number, head }: Settle,
  base: Sha,
): Promise<readonly Event[] | null> {
  const { git, forge } = context.door;
  const isIn = await git.isAncestor(head, base);
  const marking = markingOf(context, loop);
  if (!isIn && !(await git.isDone(base, marking))) return null;
  const merged = mergedEvent(context, loop, await forge.pull(number));
  if (merged !== null) return [merged];
  if (isIn) return [{ type: 'pull-merged', loop: loop.id, commit: base, isProved: false, isLeftOpen: true }];
  const detail = `its task is done on ${targetOf(context, loop)} by other work; #${number} is closed, and its branch is kept`;
  return [{ type: 'pull-parked', loop: loop.id, head: null, why: 'duplicate', detail }];
}

/** Task files are ours to merge, by no agent; whatever else is in the way goes back to whoever made it. */
async function mendConflict(
  context: PullContext,
  loop: Pulled,
  { number, head }: Settle,
  base: Sha,
  paths: readonly string[],
): Promise<readonly Event[]> {
  const marking = markingOf(context, loop);
  const { of } = loop.pull;
  const joined = await context.door.git.withBase({ loop: loop.id, base, head, marking });
  if (joined !== null && of !== null)
    return [{ type: 'branch-named', loop: loop.id, from: head, of, head: joined, isTicked: true, keeps: true }];
  const target = targetOf(context, loop);
  await sayOnce(context, number, conflictText(head, target, paths));
  const detail = `does not merge with ${target} as it is now: ${paths.join(', ')}`;
  return [{ type: 'pull-returned', loop: loop.id, head, why: 'conflict', detail, report: null, paths }];
}

/** Null: our gates have passed this very tree. */
async function prove(
  context: PullContext,
  loop: Pulled,
  { tree, commit }: { readonly tree: Sha; readonly commit: Sha },
): Promise<readonly Event[] | null> {
  const host = context.host();
  if (host === null) return [];
  if (isProved(context.state(), host, tree)) return null;
  const ran = await runGatesOn(context, commit, `pulls/${commit.slice(0, 12)}`);
  if (ran === null) return [];
  const again =
    ran.report.verdict === 'red' ? await runGatesOn(context, commit, `pulls/${commit.slice(0, 12)}-2`) : ran;
  if (again === null) return [];
  const { report, durationMs } = again;
  const { gatesHash } = context.policy;
  const tested: Event = { type: 'pull-tested', loop: loop.id, gatesHash, tree, report, durationMs };
  const { head } = loop.pull;
  if (report.verdict === 'green' || head === null) return [tested];
  const detail = describeRed(report, ' fails once merged with main');
  return [tested, { type: 'pull-returned', loop: loop.id, head, why: 'red', detail, report, paths: [] }];
}

async function runGatesOn(
  { world, policy, state, signal, force }: PullContext,
  commit: Sha,
  name: string,
): Promise<{ readonly report: GateReport; readonly durationMs: number } | null> {
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state().pace) : null;
  return world.gates.withWorktree(
    commit,
    (path) => world.gates.run({ path, commit, name, timeoutMs, signal, force }),
    signal,
  );
}

async function orderOf(context: PullContext, loop: Pulled, { number, head }: Settle, base: Sha): Promise<MergeOrder> {
  const { landing, policy, state, world } = context;
  const text = await landingText({ world, state, policy, landing }, { ...loop, head }, base);
  const [subject = ''] = text.split('\n');
  return { number, head, method: policy.method, title: `${subject} (#${number})`, message: trailersOf(text) };
}

async function merge(context: PullContext, loop: Pulled, wish: Settle, base: Sha): Promise<readonly Event[]> {
  const { forge, git } = context.door;
  const answer = await forge.merge(await orderOf(context, loop, wish, base));
  if (answer.is === 'later') return [];
  if (answer.is === 'refused') return [{ type: 'merge-refused', loop: loop.id, head: wish.head, why: answer.why }];
  const facts: PullFacts = await forge.pull(wish.number);
  const merged = mergedEvent(context, loop, facts);
  if (merged?.type !== 'pull-merged') return [];
  const after = await mainNow(context);
  const tree = after === null ? null : await context.world.integration.treeOf(after);
  const host = context.host();
  const isGreen = tree !== null && host !== null && isProved(context.state(), host, tree);
  if (isGreen || after === null || tree === null || !(await git.isAncestor(merged.commit, after)))
    return [{ ...merged, isProved: isGreen }];
  context.onWarning(`${targetOf(context, loop)} moved while #${wish.number} was merged: its gates run now`);
  const ran = await runGatesOn(context, after, `pulls/${after.slice(0, 12)}-after`);
  if (ran === null) return [merged];
  if (ran.report.verdict === 'red')
    context.onWarning(`${targetOf(context, loop)} is red after #${wish.number} was merged: ${describeRed(ran.report)}`);
  const { gatesHash } = context.policy;
  return [merged, { type: 'pull-tested', loop: loop.id, gatesHash, tree, ...ran }];
}

/** The forge merges it by itself once its own rules are met; what it promises is its checks, not our gates. */
async function armPull(
  context: PullContext,
  loop: Pulled,
  wish: Settle,
  fits: Fits,
  base: Sha,
): Promise<readonly Event[]> {
  if (loop.pull.armed === wish.head) {
    fits.add(`${base}:${wish.head}`);
    return [];
  }
  const { forge } = context.door;
  const order = await orderOf(context, loop, wish, base);
  if ((await forge.arm(order)) === 'armed') return [{ type: 'pull-armed', loop: loop.id, head: wish.head }];
  return merge(context, loop, wish, base);
}

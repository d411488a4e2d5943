import type { Event } from '../../../src/core/model/events.ts';
import { taskId } from '../../../src/core/model/ids.ts';
import type { Usage } from '../../../src/core/model/usage.ts';
import { NO_USAGE } from '../../../src/core/model/usage.ts';
import type { Report } from '../../../src/text/agents/report.ts';
import { textReport } from '../../../src/text/agents/reporter.ts';
import type { Random } from './random.ts';
import type { Realm, SimAgent, SimWorktree } from './realm.ts';
import type { HistoryHabits } from './scenario.ts';
import { appendRecord, commitDirty, newName, stateOf, tipOf } from './realm.ts';

export const SILENCE: Report = textReport('');

/** Plans what one agent does, says and costs, and how it ends. */
export function beginLife(realm: Realm, agent: SimAgent): void {
  const { random, timeline, scenario } = realm;
  const habits = scenario.agents;
  agent.report = { ...SILENCE, usage: bill(realm) };
  if (scenario.history !== undefined) return liveHistory(realm, agent, scenario.history);
  if (isTurnedAway(realm, agent)) return;
  const ms = random.chance(0.15) ? random.between(900, 3000) : random.between(30, 900);
  const lacks = lacking(realm, agent);
  if (lacks.length > 0) return endIdle(realm, agent, lacks, ms);
  if (!random.chance(habits.idle)) timeline.after(random.between(0, ms), () => change(realm, agent));
  if (random.chance(habits.speaking)) timeline.after(random.between(0, ms), () => speak(realm, agent));
  if (random.chance(habits.hanging)) return;
  timeline.after(ms, () => {
    const unfinished = random.chance(habits.speaking / 3) ? 'who pays for this?' : 'more to do';
    const finalText = random.chance(habits.unfinished) ? unfinished : 'LOOP_COMPLETE';
    if (random.chance(habits.stalling))
      return endAgent(agent, { how: 'stopped', why: random.pick(['stalled', 'flood', 'turns']), detail: 'too much' });
    const warning = {
      status: 'warning',
      resetsAtMs: timeline.now() + random.between(500, 8000),
      detail: '90%',
    } as const;
    const limit = !realm.isCalm && random.chance(habits.warnings) ? warning : null;
    agent.report = { ...agent.report, finalText, limit };
    endAgent(agent, { how: 'exited', code: random.chance(habits.failing) ? 3 : 0 });
  });
}

/** Works where all it needs is there and nothing that spoils it; else it changes nothing, and may say what it lacks. */
function liveHistory(realm: Realm, agent: SimAgent, { callMeanMs, names, needs, spoils }: HistoryHabits): void {
  const { random, timeline, git } = realm;
  const worktree = realm.worktrees.get(agent.cwd);
  const tree = worktree === undefined ? undefined : tipOf(realm, worktree)?.tree;
  const key = stateOf(realm).loops[agent.loop]?.task ?? '';
  const task = key.slice(key.indexOf('#') + 1);
  const isThere = (id: string): boolean =>
    tree !== undefined && [...tree.tokens].some((one) => one.startsWith(`${id}-`));
  const lacks = (needs[task] ?? []).filter((id) => !isThere(id));
  const isSpoiled = (spoils[task] ?? []).some(isThere);
  const others = Object.keys(needs).filter((id) => id !== task && !isThere(id));
  const isRight = names === 'always' || random.chance(0.5) || others.length === 0;
  const named = isRight ? lacks : [random.pick(others)];
  timeline.after(lognormal(random, callMeanMs), () => {
    const isDone = lacks.length === 0 && !isSpoiled && worktree !== undefined;
    if (isDone) worktree.dirty.add(git.addToken({ id: `${agent.loop}.${agent.n}`, area: 5, bad: false, fixes: null }));
    const waits = names !== 'never' && lacks.length > 0;
    const finalText = waits ? `<promise>WAITING: ${named.join(', ')}</promise>` : 'nothing to do here';
    agent.report = { ...agent.report, finalText: isDone ? 'LOOP_COMPLETE' : finalText };
    endAgent(agent, { how: 'exited', code: 0 });
  });
}

const SIGMA = 0.6;

/** Calls take very different times. */
function lognormal(random: Random, mean: number): number {
  const [u, v] = [random.between(1, 1_000_000) / 1_000_000, random.int(1_000_000) / 1_000_000];
  const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
  return Math.ceil(mean * Math.exp(SIGMA * normal - SIGMA ** 2 / 2));
}

/** The hidden needs of its task that are not where it works. */
function lacking(realm: Realm, agent: SimAgent): readonly string[] {
  const { hidden } = realm.scenario;
  const worktree = realm.worktrees.get(agent.cwd);
  const task = stateOf(realm).loops[agent.loop]?.task;
  const tree = worktree === undefined ? undefined : tipOf(realm, worktree)?.tree;
  if (hidden === undefined || task === undefined || tree === undefined) return [];
  const needs = hidden[task.slice(task.indexOf('#') + 1)] ?? [];
  return needs.filter((need) => ![...tree.tokens].some((token) => token.startsWith(`${need}-`)));
}

/** It cannot do anything, and may say what it lacks: at the end, or by a verb, or wrongly. */
function endIdle(realm: Realm, agent: SimAgent, lacks: readonly string[], ms: number): void {
  const { random, timeline } = realm;
  const names = random.chance(0.5) ? lacks : [random.pick(['t0', 'nobody', 't1'])];
  const { loop, n } = agent;
  const said = random.int(3);
  if (said === 0)
    timeline.after(random.between(0, ms), () => {
      realm.stirred = true;
      const event = { type: 'loop-lacks', loop, n, tasks: names.map(taskId) } as const;
      if (agent.end === null) appendRecord(realm, realm.log.length, 'verb', timeline.now(), [event]);
    });
  timeline.after(ms, () => {
    const finalText = said === 1 ? `<promise>WAITING: ${names.join(', ')}</promise>` : 'nothing to do here';
    agent.report = { ...agent.report, finalText };
    endAgent(agent, { how: 'exited', code: 0 });
  });
}

/** In quarters, so that sums are exact. Calm is free, or some budget would never let it end. */
function bill({ random, isCalm }: Realm): Usage {
  if (isCalm || random.chance(0.2)) return NO_USAGE;
  const costUsd = random.int(4) / 4;
  return {
    ...NO_USAGE,
    inputTokens: random.between(10, 400),
    outputTokens: random.int(100),
    costUsd,
    costKind: 'billed',
  };
}

/** The account behind it does not let it work. */
function isTurnedAway(realm: Realm, agent: SimAgent): boolean {
  const { random, timeline, isCalm } = realm;
  const { limits, rates, logouts } = realm.scenario.agents;
  const account = realm.accounts.get(agent.account);
  if (account === undefined) return false;
  const refuse = (failure: Report['failure'], limit: Report['limit'] = null): true => {
    timeline.after(random.between(5, 300), () => {
      agent.report = { ...agent.report, failure, limit };
      endAgent(agent, { how: 'exited', code: 1 });
    });
    return true;
  };
  if (!isCalm && random.chance(logouts)) account.isLoggedIn = false;
  // To a person it is the same whether they have to log in or to install it again.
  if (!account.isLoggedIn)
    return refuse(
      agent.n % 2 === 1 ? { kind: 'auth', message: 'not logged in' } : { kind: 'missing', message: 'exit 127' },
    );
  if (!isCalm && random.chance(limits))
    account.limitedUntilMs =
      timeline.now() + (random.chance(0.8) ? random.between(300, 3000) : random.between(3000, 15_000));
  const resetsAtMs = account.limitedUntilMs;
  if (resetsAtMs > timeline.now())
    return refuse({ kind: 'limit', message: 'usage limit reached' }, { status: 'reached', resetsAtMs, detail: '5h' });
  if (!isCalm && random.chance(rates))
    return refuse({ kind: random.pick(['rate', 'overloaded']), message: 'too many requests' });
  return false;
}

/** It calls a verb: another process that writes into the log. A verb may come late. */
function speak(realm: Realm, agent: SimAgent): void {
  const { random } = realm;
  const { loop, n } = agent;
  const words = newName(realm, 'words-');
  const said: readonly Event[] = [
    { type: 'loop-progressed', loop, n, text: words },
    { type: 'loop-blocked', loop, n, why: words },
    { type: 'loop-done', loop, n, summary: words },
    { type: 'task-proposed', loop, title: words, body: '' },
  ];
  const write = (): void => {
    realm.stirred = true;
    appendRecord(realm, realm.log.length, 'verb', realm.timeline.now(), [random.pick(said)]);
  };
  if (random.chance(0.1)) realm.timeline.after(random.between(0, 2000), write);
  else if (agent.end === null) write();
}

/** It writes something, of which the gates may think little; often it mends what they said. */
function change(realm: Realm, agent: SimAgent): void {
  const worktree = realm.worktrees.get(agent.cwd);
  if (agent.end !== null || worktree === undefined || !worktree.exists) return;
  const { random, git } = realm;
  const { bad, mending, stacking } = realm.scenario.agents;
  const loop = stateOf(realm).loops[agent.loop];
  const tree = tipOf(realm, worktree)?.tree;
  const nextName = (): string => newName(realm, `${agent.loop}.${agent.n}.`);
  for (const { id, area } of tree?.markers ?? [])
    if (random.chance(mending)) worktree.dirty.add(git.addToken({ id: nextName(), area, bad: false, fixes: id }));
  // Who resolves conflicts mostly leaves the rest alone.
  if (loop?.rework?.by !== 'resolver' || random.chance(0.2)) {
    const isRed = loop?.lastGate?.verdict === 'red' || stateOf(realm).bases['g']?.red != null;
    const isTold = isRed && random.chance(0.7);
    const fixes = isTold ? (tree?.flaws[0] ?? null) : null;
    // In a crowd everybody is after the same file.
    const area = realm.scenario.isCrowd && random.chance(0.5) ? 0 : random.int(7);
    worktree.dirty.add(git.addToken({ id: nextName(), area, bad: random.chance(bad), fixes }));
  }
  if (random.chance(0.5)) commitDirty(realm, worktree);
  if (random.chance(stacking)) mergeAnother(realm, worktree);
}

/** It likes what another loop has made, and takes it without a word. */
function mergeAnother(realm: Realm, worktree: SimWorktree): void {
  const { git, random, branches } = realm;
  commitDirty(realm, worktree);
  const tip = tipOf(realm, worktree);
  const others = [...branches].filter(([branch]) => branch !== worktree.branch);
  if (tip === null || worktree.branch === null || others.length === 0) return;
  const [, head] = random.pick(others);
  const merged = git.merge(tip.id, head);
  if (git.isAncestor(head, tip.id) || 'conflicts' in merged || git.get(head).tree.markers.length > 0) return;
  const isForward = git.isAncestor(tip.id, head);
  branches.set(worktree.branch, isForward ? head : git.commit([tip.id, head], merged.tokens).id);
}

export function endAgent(agent: SimAgent, end: NonNullable<SimAgent['end']>): void {
  if (agent.end !== null) return;
  agent.end = end;
  for (const tell of agent.waiting.splice(0)) tell();
}

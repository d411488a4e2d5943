import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import type { Loop, State } from '../../../src/core/model/model.ts';
import { NO_PROJECT_LIMITS } from '../../../src/core/model/project-limits.ts';
import { inboxView } from '../../../src/core/views/inbox.ts';
import { notificationOf, noticesIn } from '../../../src/core/views/notices.ts';
import { needsYou } from '../../../src/core/views/report.ts';
import { standing } from '../../../src/core/views/standing.ts';
import { summarize } from '../../../src/core/views/summary.ts';
import { COMMANDS } from '../../../src/faces/cli/tables/table.ts';
import { callTool } from '../../../src/faces/mcp/call-tool.ts';
import { parametersOf } from '../../../src/faces/mcp/parameters.ts';
import { toolsOf } from '../../../src/faces/mcp/tools.ts';
import { readState } from '../../../src/faces/call/project.ts';
import { factsOf } from '../../../src/faces/tui/facts.ts';
import { AT_RUN } from '../../../src/faces/tui/model.ts';
import type { Model } from '../../../src/faces/tui/model.ts';
import { runRows } from '../../../src/faces/tui/run-screen.ts';
import { view, wholeView } from '../../../src/faces/tui/view.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { logFolder, ralphFolder } from '../../../src/world/git/run/state-places.ts';
import { packedDir, snapshotPath } from '../../../src/world/log/log-files.ts';
import { encodeSnapshot } from '../../../src/world/log/record-line.ts';
import { realClock } from '../../../src/world/os/clock.ts';
import { ownIdentity } from '../../../src/world/processes/identity.ts';
import { openProjection } from '../../../src/world/projection.ts';
import type { StandingCase } from '../../sim/standing-cases.ts';
import { standingCases } from '../../sim/standing-cases.ts';
import { POLICY, TRACKER } from '../../sim/tale.ts';
import { gitSays } from '../harness/git.ts';
import { markdownTasks, project } from '../harness/project.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

type Row = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

/** Everything that names a loop, wherever it is in an answer. */
function rowsIn(answer: unknown, loop: string): readonly Row[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const row = answer as Row;
  const below = Object.values(row).flatMap((value) => rowsIn(value, loop));
  return 'state' in row &&
    'next' in row &&
    'why' in row &&
    [row['loop'], row['id'], row['task']].some((name) => name === loop || name === 'a')
    ? [row, ...below]
    : below;
}

/** A log that says just that, and hosts that live as this process does. */
function lay(one: Scratch, { state, loop }: StandingCase): void {
  // Without its branch a loop holds no task: somebody took it away.
  if (!gitSays(one.git, 'rev-parse', '--verify', `refs/heads/${loop.branch}`)) one.git('branch', loop.branch);
  const folder = logFolder(findRepository(one.repo));
  mkdirSync(packedDir(folder), { recursive: true });
  const hosts = Object.fromEntries(
    Object.entries(state.hosts).map(([id, host]) => [id, { ...host, mark: { ...host.mark, ...ownIdentity() } }]),
  );
  const text = encodeSnapshot({ seq: 0, state: withCommit({ ...state, seq: 0, hosts }, one.git('rev-parse', 'HEAD')) });
  writeFileSync(snapshotPath(folder, 0), text);
}

/** What landed is a commit that there is. */
const withCommit = (state: State, commit: string): State =>
  JSON.parse(JSON.stringify(state).replaceAll('"commit":"c"', `"commit":"${commit}"`)) as State;

async function ask(one: Scratch, words: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const spec = COMMANDS.find(({ name }) => name === words);
  if (spec === undefined) throw new Error(`no command ${words}`);
  const tool = { name: words, spec, mark: {}, parameters: parametersOf(spec) };
  const place = { cwd: one.repo, env: one.env, onSay: () => {} };
  return (await callTool(tool as Parameters<typeof callTool>[0], args, place)).structuredContent ?? {};
}

describe('one standing, one next command', () => {
  it.each(standingCases())('is named by every face: $name', async (asked) => {
    const one = scratch();
    const isListed = Object.values(asked.state.trackers).some(({ tasks }) => tasks.length > 0);
    // Landed, and open in the list all the same, it would have been taken back.
    const list = markdownTasks([isListed ? 'a' : 'other']);
    project(one, { tasks: { 'PRD.md': asked.loop.phase.at === 'landed' ? list.replace('[ ]', '[x]') : list } });
    lay(one, asked);
    const repo = findRepository(one.repo);
    const state = await readState(repo);
    const loop = state.loops[asked.loop.id] ?? asked.loop;
    const { state: at, reason, next } = standing(state, loop);
    const status = await ask(one, 'status');
    const projection = openProjection(repo, TRACKER, { limits: POLICY.limits, project: NO_PROJECT_LIMITS }, realClock);
    projection.write(state);
    projection.close(state);
    const answers: Readonly<Record<string, unknown>> = {
      status,
      loops: await ask(one, 'loops list', { all: true }),
      tasks: await ask(one, 'tasks list'),
      task: isListed ? await ask(one, 'tasks show', { id: 'a' }) : status,
      why: await ask(one, 'why', { id: loop.id }),
      queue: await ask(one, 'queue'),
      summary: summarize(state, { ...POLICY, slots: 0 }),
      'state.json': JSON.parse(readFileSync(join(ralphFolder(repo), 'state.json'), 'utf8')),
      mcp: await mcp(one, loop.id),
    };
    for (const [face, answer] of Object.entries(answers)) {
      const rows = rowsIn(answer, loop.id);
      const isNamed = face !== 'queue' || at === 'landing';
      if (isNamed) expect(rows, `${face} names it: ${JSON.stringify(answer)}`).not.toHaveLength(0);
      for (const row of rows)
        expect([face, row['state'], row['reason'], row['next']]).toEqual([face, at, reason, next]);
    }
    const { items } = inboxView(state);
    const waits = items.filter((item) => item.loop === loop.id);
    const told = { report: needsYou(items), notification: notificationOf(noticesIn(state, {})).items };
    for (const [face, rows] of Object.entries(told)) {
      const own = rows.filter((row) => row.loop === loop.id).map((row) => [face, row.state, row.next]);
      expect(own).toEqual(waits.map(() => [face, at, next]));
    }
    inView(state, loop);
  });
});

/** The row of a loop can be chosen, and whoever does so reads the same. */
function inView(state: State, loop: Loop): void {
  const about = { tracker: TRACKER, target: 'main', policy: POLICY, attempts: 1, limits: NO_PROJECT_LIMITS };
  const facts = factsOf(state, about, state.run.since + 1000);
  const look = { colour: false, ascii: false };
  const model: Model = { ...AT_RUN, facts, nowMs: state.run.since + 1000, look, words: new Map() };
  const size = { columns: 150, rows: 30 };
  const row = runRows(model, size).find((one) => one.loop === loop.id);
  const { state: at, reason, next } = standing(state, loop);
  expect(row?.next, `it has a row: ${view(model, size).join('\n')}`).toBe(next);
  const shown = view({ ...model, selected: row?.key ?? null }, size);
  const why = reason === null || reason === at ? '' : ` (${reason})`;
  expect(shown.at(-2)).toBe(` a is ${at}${why}; next: ${next}`);
  const isAside = row?.section === 'needs you' || row?.section === 'parked';
  if (isAside) expect(wholeView(model, 100).join('\n')).toContain(`a is ${at}${why}; next: ${next}`);
}

/** What clients of MCP are offered to look with. */
async function mcp(one: Scratch, id: string): Promise<readonly unknown[]> {
  const tools = toolsOf(COMMANDS).filter(({ spec }) => ['status', 'why'].includes(spec.name));
  expect(tools.map(({ name }) => name)).toEqual(['status', 'why']);
  const place = { cwd: one.repo, env: one.env, onSay: () => {} };
  return Promise.all(
    tools.map(async (tool) => {
      const wants = tool.parameters.find(({ isRequired }) => isRequired);
      return (await callTool(tool, wants === undefined ? {} : { [wants.name]: id }, place)).structuredContent;
    }),
  );
}

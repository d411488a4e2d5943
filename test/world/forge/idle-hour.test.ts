import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createForgeFollower } from '../../../src/engine/forge/follow-forge.ts';
import { hostId, sha } from '../../../src/core/model/ids.ts';
import type { CheckVerdict } from '../../../src/core/model/pull.ts';
import type { Clock, World } from '../../../src/world/contract/world.ts';
import type { FoundForge } from '../../../src/world/forge/find-forge.ts';
import { openDoor } from '../../../src/world/forge/open-forge.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { promptTrackerFile } from '../../../src/world/trackers/tracker-file.ts';
import { startGithub } from '../../forge/github.ts';
import type { Github } from '../../forge/github-types.ts';
import { POLICY, task, tellTale } from '../../sim/tale.ts';
import type { Tale } from '../../sim/tale.ts';
import { scratchRepo } from '../scratch.ts';

const ME = hostId('h1');
const HOUR_S = 3600;
const STEP_S = 5;
const FORGE = {
  host: 'forge.test',
  repository: 'octo/shop',
  remote: 'origin',
  checks: 'required',
  needsReview: false,
  merge: 'person',
  ciDeadlineMs: 7_200_000,
  rounds: 3,
  isFollowing: true,
} as const;

interface FakeClock extends Clock {
  pass: (ms: number) => void;
}

function fakeClock(): FakeClock {
  let [now, awake] = [Date.now(), 0];
  return {
    nowMs: () => now,
    today: () => '2026-01-01',
    awakeMs: () => awake,
    sleep: () => Promise.resolve(),
    pass: (ms) => {
      now += ms;
      awake += ms;
    },
  };
}

/** So many open pull requests, as the log would know them, and a forge that has them. */
async function openPulls(
  count: number,
): Promise<{ readonly forge: Github; readonly tale: Tale; readonly dir: string }> {
  const repo = scratchRepo();
  onTestFinished(() => repo.remove());
  const tale = tellTale();
  tale.join(ME, { mergePolicy: 'pr', forge: FORGE });
  tale.read(...Array.from({ length: count }, (_, at) => task(`t${at}`)));
  const branches = Array.from({ length: count }, (_, at) => {
    const id = tale.ready(`t${at}`);
    repo.git('checkout', '-q', '-b', tale.loop(id).branch, 'main');
    repo.write(`${id}.txt`, 'made\n');
    return { id, branch: tale.loop(id).branch, head: repo.commit(`Make ${id}`) };
  });
  repo.git('checkout', '-q', 'main');
  const forge = await startGithub(`${repo.dir}/..`, repo.dir);
  onTestFinished(() => forge.stop());
  repo.git('remote', 'add', 'origin', forge.git);
  tale.write({ type: 'forge-taken', host: ME });
  for (const [at, { id, branch, head }] of branches.entries()) {
    const made = await fetch(`${forge.url}/api/v3/repos/octo/shop/pulls`, {
      method: 'POST',
      headers: { authorization: 'bearer octo-token' },
      body: JSON.stringify({ title: id, head: branch, base: 'main' }),
    });
    expect(made.status).toBe(201);
    const of = tale.loop(id).head ?? sha('');
    tale.write({ type: 'branch-named', loop: id, from: null, of, head: sha(head), isTicked: true });
    tale.write({ type: 'branch-pushed', loop: id, head: sha(head) });
    tale.write({ type: 'pull-opened', loop: id, number: at + 1, url: `${forge.url}/${at + 1}` });
  }
  return { forge, tale, dir: repo.dir };
}

/** What was asked in the meantime, beside what an unchanged answer costs nothing for. */
async function follow({ forge, tale, dir }: Awaited<ReturnType<typeof openPulls>>, seconds: number): Promise<number> {
  const clock = fakeClock();
  const repo = findRepository(dir);
  const found: FoundForge = {
    kind: 'github',
    host: FORGE.host,
    origin: forge.url,
    apiUrl: `${forge.url}/api/v3`,
    owner: 'octo',
    repo: 'shop',
    remote: 'origin',
    token: 'octo-token',
  };
  const place = {
    repo,
    view: await openView(repo),
    identity: { name: 'Ada', email: 'ada@example.test', sign: null },
    env: process.env,
    tracker: promptTrackerFile('prompt:', '', []),
    target: 'main',
    listened: [],
  } as unknown as Parameters<typeof openDoor>[0];
  const door = openDoor({ ...place, found });
  const world = { clock, forge: door, integration: { sync: () => Promise.resolve() } } as unknown as World;
  let isDone = (): void => {};
  let asks = 0;
  const counted = new Proxy(door.forge, {
    get: (real, name): unknown => {
      if (name !== 'budget' && name !== 'host') asks += 1;
      return Reflect.get(real, name);
    },
  });
  const policy = { ...POLICY, mergePolicy: 'pr', forge: FORGE } as const;
  const warnings: string[] = [];
  const follower = createForgeFollower(
    {
      world: { ...world, forge: { ...door, forge: counted } },
      policy,
      state: tale.state,
      me: ME,
      gateCommands: [],
      landing: { message: null, auto: { paths: [], maxLines: null, labels: [] } },
      pull: { labels: [], reviewers: [], assignees: [], title: null, body: null },
      force: new AbortController().signal,
      onWarning: (text) => warnings.push(text),
    },
    () => isDone(),
  );
  const before = forge.log.length;
  for (let passed = 0; passed < seconds; passed += STEP_S) {
    clock.pass(STEP_S * 1000);
    const [done, asked] = [new Promise<void>((resolve) => (isDone = resolve)), asks];
    follower.follow(tale.state(), ME);
    if (asks > asked) await done;
    await setImmediate();
    const events = follower.take();
    if (events.length > 0) tale.write(...events);
  }
  await follower.stop();
  expect(warnings).toEqual([]);
  expect(forge.mismatches).toEqual([]);
  return forge.log.slice(before).filter(({ charged }) => charged).length;
}

const IDLE: readonly (readonly [CheckVerdict, 'success' | null | undefined])[] = [
  ['green', 'success'],
  ['pending', null],
  ['none', undefined],
];

describe('an hour in which nothing happens', () => {
  it.each(IDLE)(
    'A19.3 costs under 15 requests that count, with one pull request whose checks are %s',
    async (is, how) => {
      const opened = await openPulls(1);
      const [pull] = opened.forge.pulls;
      if (pull === undefined) throw new Error('there is none');
      if (how !== undefined) opened.forge.setCheck(opened.forge.headOf(pull), 'ci', how);
      const charged = await follow(opened, HOUR_S);
      const seen = Object.values(opened.tale.state().loops)[0]?.pull?.seen;
      expect(seen).toMatchObject({ state: 'open', checks: { verdict: is } });
      expect(charged).toBeLessThan(15);
      expect(charged).toBeGreaterThan(0);
    },
  );

  it('A19.3 costs under 15 for each of ten', async () => {
    const opened = await openPulls(10);
    for (const pull of opened.forge.pulls) opened.forge.setCheck(opened.forge.headOf(pull), 'ci', 'success');
    expect(await follow(opened, HOUR_S)).toBeLessThan(15 * 10);
  });

  it('A19.3 and all of it is asked again once something happens', async () => {
    const opened = await openPulls(1);
    const { forge, tale } = opened;
    const [pull] = forge.pulls;
    if (pull === undefined) throw new Error('there is none');
    await follow(opened, HOUR_S / 2);
    forge.comment(1, 'rev-token', 'call it gadget');
    await follow(opened, HOUR_S / 2);
    expect(Object.values(tale.state().loops)[0]?.pull?.seen?.comments.map(({ text }) => text)).toEqual([
      'call it gadget',
    ]);
  });
});

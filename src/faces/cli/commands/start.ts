import { invariant } from '../../../core/model/assert.ts';
import { EXIT } from '../../../core/model/errors.ts';
import { featureName } from '../../../text/feature/feature-name.ts';
import { problemLine } from '../../../text/config/layer.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { chooseAgents, chooseToTalkTo } from '../../../world/agents/choose-agent.ts';
import { makeFeature } from '../../../world/feature/make-feature.ts';
import { fromFolder, planFeature } from '../../../world/feature/plan-feature.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { openView } from '../../../world/git/run/view.ts';
import { keepAside, whoLoops } from '../../../world/start/who-loops.ts';
import { talkToAgent } from '../../../world/start/talk-to-agent.ts';
import { findTmux } from '../../../world/start/tmux.ts';
import { openOwnProject } from '../../call/project.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import type { PromptPlan } from '../run/prompt-loop.ts';
import { runPromptLoop } from '../run/prompt-loop.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { sayFailedSetup } from '../show/say-failed-setup.ts';
import { chooseWay } from '../start/choose-way.ts';
import type { Launched } from '../start/launch-beside.ts';
import { launchBeside, refuseTwoWays, sayLaunched, wishedTmux } from '../start/launch-beside.ts';
import { makeRoom } from '../start/make-room.ts';
import { loopText, openingOf, requireText, wishOf } from '../start/start-wish.ts';
import { talkWords, writeLaunch } from '../start/write-launch.ts';
import { startProject } from '../run/start-project.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import type { FeatureOrder, MadeFeature } from '../../../world/feature/make-feature.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import type { Occupant } from '../../../world/start/who-loops.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';
import type { LaunchOrder } from '../start/launch-beside.ts';
import type { StartWish } from '../start/start-wish.ts';
import type { LaunchWish } from '../start/write-launch.ts';

/** A worktree for a feature and an agent in it: to talk to, or as a loop; beside whoever loops here already. */
interface Beside extends Launched {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly reused: boolean;
  readonly port_base: number | null;
  readonly setup: unknown;
  readonly workflow: string;
  readonly script: string;
}

export const handle: Handler<Beside | RunAnswer | PromptPlan> = async (call) => {
  refuseInLoop(call, 'start');
  refuseTwoWays(call);
  const [given = '', ...words] = call.args;
  const feature = featureName(given, 'ralph start');
  const project = await openOwnProject(call);
  const { repo, config } = project;
  for (const warning of config.warnings)
    call.out.say(call.out.style.yellow(`warning: ${cleanLine(problemLine(warning))}`));
  const wish = wishOf(call, feature, words, repo.worktree);
  const agent = agentFor(wish, call, project);
  call.out.say(repo.linked ? `in the worktree ${repo.worktree} of ${repo.root}` : `in the main checkout ${repo.root}`);

  const order = orderOf(call, feature, project);
  const occupants = await occupantsOf(call, project, order, wish);
  await requireText(call, wish, { feature, plans: config.settings.plans, worktree: occupants.path }, async (plan) =>
    hasFile(repo, occupants.base, plan),
  );
  const tmux = wishedTmux(call, config.settings.autoSpawnStrategy);
  const isBeside = call.flags['tmux'] === true || call.flags['print'] === true;
  const crowd = {
    feature,
    occupants: occupants.all,
    worktree: occupants.worktree,
    tmux: tmux === null ? null : tmux.isInside ? ('window' as const) : ('session' as const),
    isTmuxMissing: findTmux(call.env, call.cwd) === null,
    strategy: config.settings.autoSpawnStrategy,
  };
  const way = occupants.all.length === 0 ? null : await chooseWay(call, crowd);
  if (way === 'cancel') {
    return { data: null, says: ['cancelled; nothing was changed'], exit: EXIT.busy };
  }

  // First: what an agent at work has not committed yet is what a worktree in use looks like.
  if (way === 'replace') await makeRoom(call, occupants.all, config.settings.limits.graceMs);
  const made = await makeFeature(repo, order);
  sayFailedSetup(call.out, made);
  const told = { feature, plans: config.settings.plans, worktree: made.path };
  const text = loopText(call, wish, told);
  const settings = settingsOf(call, made, agent.name, text?.settings ?? new Map());
  const launch: LaunchWish = {
    made,
    agent,
    prompt: text?.prompt ?? null,
    opening: openingOf(call, wish, told),
    settings,
  };
  const script = writeLaunch(call, launch);
  if (wish.workflow === 'continue-loop')
    call.out.say(`its state file is kept: ${keepAside(wish.found.file, new Date())}`);
  if (way === 'parallel' || way === 'copy' || isBeside || (text === null && !canTalk(call))) {
    const isChosen = way === 'copy';
    return beside(call, wish, launch, { script, tmux: way === 'parallel' || isBeside ? tmux : null, isChosen });
  }
  call.out.say(`start it again at any time: ${script}`);
  return text === null
    ? talk(call, launch, config.settings.agents[agent.name]?.env ?? {})
    : loop(call, launch, text.prompt, feature);
};

function agentFor({ workflow }: StartWish, { env }: Call, { repo, config }: Project): ChosenAgent {
  if (workflow === 'simple') return chooseToTalkTo(config.settings, env, repo.root);
  const [first] = chooseAgents(config.settings, env, repo.root);
  invariant(first !== undefined, 'an agent was chosen');
  return first;
}

/** Who loops here, but for the one that is going to be continued. */
async function occupantsOf(
  call: Call,
  { repo, config }: Project,
  order: FeatureOrder,
  wish: StartWish,
): Promise<{
  readonly all: readonly Occupant[];
  readonly worktree: string | null;
  readonly path: string;
  readonly base: Sha;
}> {
  const { path, base, existing } = await planFeature(
    repo,
    order,
    await preflight(repo, config.settings.landing.target),
  );
  const worktree = existing === null ? null : path;
  const all = whoLoops({ checkout: repo.worktree, cwd: call.cwd, worktree });
  const continued = wish.workflow === 'continue-loop' ? wish.found.file : null;
  return { path, base, worktree, all: all.filter((one) => one.kind === 'loop' || one.found.file !== continued) };
}

/** Whether a commit has a file; a worktree made from it will have it. */
async function hasFile(repo: Repository, commit: Sha, path: string): Promise<boolean> {
  const view = await openView(repo);
  return (await view.run(['cat-file', '-e', `${commit}:${path}`], { ok: [0, 1, 128] })).code === 0;
}

function orderOf(call: Call, name: string, { config }: Project): FeatureOrder {
  const text = (flag: string): string | null => (typeof call.flags[flag] === 'string' ? call.flags[flag] : null);
  const path = text('path');
  const { settings } = config;
  return {
    name,
    base: text('from'),
    path: path === null ? null : fromFolder(call.cwd, path),
    branch: text('branch'),
    settings: settings.worktree,
    target: settings.landing.target,
    install: call.flags['install'] !== false,
    typed: call.words,
    env: call.env,
    onStep: (line) => call.out.say(cleanLine(line)),
  };
}

/** What the loop in the worktree is started with, here or by the script: the flags, and what the worktree tells. */
function settingsOf(
  call: Call,
  made: MadeFeature,
  agent: string,
  brought: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const told = Object.entries(made.env).map(([name, value]) => [`agents.${agent}.env.${name}`, value] as const);
  return new Map([['agent', agent], ...told, ...brought, ...call.settings]);
}

const canTalk = ({ flags }: Call): boolean =>
  process.stdin.isTTY === true && process.stdout.isTTY === true && flags['json'] !== true;

async function beside(
  call: Call,
  { workflow }: StartWish,
  { made }: LaunchWish,
  how: Pick<LaunchOrder, 'script' | 'tmux' | 'isChosen'>,
): Promise<Answer<Beside>> {
  const { name, path, branch, base, reused, portBase, setup } = made;
  const order = { name, path, ...how };
  const launched = await launchBeside(call, order);
  if (call.flags['json'] !== true) sayLaunched(call, order, launched);
  const data = { name, path, branch, base, reused, port_base: portBase, setup, workflow, script: how.script };
  return { data: { ...data, ...launched } };
}

async function talk(call: Call, launch: LaunchWish, own: Readonly<Record<string, string>>): Promise<Answer<Beside>> {
  const { path, env } = launch.made;
  const code = await talkToAgent({ argv: talkWords(call, launch), cwd: path, env: { ...call.env, ...own, ...env } });
  call.out.say(`${launch.agent.name} has ended${code === 0 ? '' : ` with ${code}`}; its worktree is ${path}`);
  return { data: null, exit: code === 0 ? EXIT.ok : EXIT.parked };
}

async function loop(
  call: Call,
  { made, settings }: LaunchWish,
  prompt: string,
  title: string,
): Promise<Answer<RunAnswer | PromptPlan>> {
  const there: Call = { ...call, cwd: made.path, settings };
  return runPromptLoop(there, { project: await startProject(there), prompt, title });
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { loopId, slug, taskId } from '../../../core/model/ids.ts';
import type { HostPolicy, Loop, Place, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { Settings } from '../../../core/model/settings.ts';
import type { Task } from '../../../core/model/task.ts';
import { promptTracker, taskIdOf, trackerOf } from '../../../core/model/tasks.ts';
import { openSealsOf } from '../../../world/git/run/open-seals.ts';
import { realIds } from '../../../world/ids.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import { openWorld } from '../../../world/real-world.ts';
import { dropStartedWith } from '../../../world/loops/started-with.ts';
import { promptTrackerFile } from '../../../world/trackers/tracker-file.ts';
import { leaveIgnored, sayUnkept } from './around-in-place.ts';
import { asStarted, noteStart } from './as-started.ts';
import { choosePlace } from './choose-place.ts';
import type { ChosenPlace } from './choose-place.ts';
import { describeSettings, settingsInWords } from './describe-sources.ts';
import { driveHost } from './drive-host.ts';
import { failedWords } from '../show/say-failed-setup.ts';
import type { RunAnswer } from './finish-run.ts';
import { finishRun } from './finish-run.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { prepareRun } from './prepare-run.ts';
import { openOwnProject, readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { readPrompt, titleOf } from './prompt-text.ts';
import { refuseAtLimit } from './refuse-at-limit.ts';
import { sayThrownAway } from '../show/say-thrown-away.ts';
import { sayYours, warnAll } from '../show/warn-all.ts';
import { startProject } from './start-project.ts';

/** A single loop: a tracker of one task that no file stands behind. */
interface Single {
  readonly tracker: string;
  readonly tasks: readonly Task[];
  /** Null: it begins now. */
  readonly loop: Loop | null;
  readonly opening: readonly Event[];
}

/** `ralph run PROMPT`: one loop, in place or in a worktree of its own, from its prompt to main. */
export async function runPrompt(call: Call): Promise<Answer<RunAnswer | PromptPlan>> {
  if (call.flags['continue'] !== undefined || call.flags['loopId'] !== undefined) {
    const { continuePrompt } = await import('./continue-prompt.ts');
    return continuePrompt(call);
  }
  const prompt = readPrompt(call);
  if (prompt === null)
    throw new AppError('E_USAGE', 'there is no prompt', { remedy: 'ralph run "what should be done"' });
  // Only now: where nothing can be done, nothing is made or mended either.
  const project = await startProject(call);
  return runPromptLoop(call, { project, prompt, title: null });
}

export interface PromptOrder {
  readonly project: Project;
  readonly prompt: string;
  /** Null: how the prompt begins. */
  readonly title: string | null;
}

export async function runPromptLoop(call: Call, order: PromptOrder): Promise<Answer<RunAnswer | PromptPlan>> {
  const { project, prompt, title } = order;
  const shown = title ?? titleOf(prompt);
  const id = `${slug(shown)}-${realIds(project.repo).suffix()}`;
  const tracker = promptTracker(id);
  const single: Single = { tracker, tasks: [taskOf(id, shown, prompt)], loop: null, opening: [] };
  return drive(call, project, single, prompt);
}

/** Goes on with a single loop that was stopped, put aside, or lost its host, as it was started. */
export async function continueLoop(
  given: Call,
  found: Project,
  state: State,
  loop: Loop,
): Promise<Answer<RunAnswer | PromptPlan>> {
  const call = asStarted(given, found.repo, loop.id);
  const project = call === given ? found : { ...found, config: (await openOwnProject(call)).config };
  const tracker = trackerOf(state, loop.task);
  const tasks = state.trackers[tracker]?.tasks ?? [];
  const goesOn = isWorking(loop) || loop.phase.at === 'landed';
  const opening: readonly Event[] = goesOn ? [] : [{ type: 'loop-resumed', loop: loop.id }];
  const prompt = tasks.find((task) => task.id === taskIdOf(state, loop.task))?.body ?? loop.title;
  return drive(call, project, { tracker, tasks, loop, opening }, prompt);
}

const taskOf = (id: string, title: string, prompt: string): Task => ({
  id: taskId(id),
  title,
  body: prompt,
  acceptance: [],
  group: null,
  deps: [],
  priority: null,
  status: 'open',
  blockedReason: null,
  line: 1,
});

async function drive(
  call: Call,
  project: Project,
  single: Single,
  prompt: string,
): Promise<Answer<RunAnswer | PromptPlan>> {
  const { repo } = project;
  const { tracker, tasks } = single;
  const settings = settingsOf(call, project);
  refuseAtLimit(await readState(repo), settings);
  const prepared = await prepareRun(call, project, { settings, tracker });
  const { identity, target, agents, forge } = prepared;
  const id = single.loop?.id ?? tracker.slice(promptTracker('').length);
  const chosen = await placeOf(call, project, single, { loop: id, prompt, target });
  try {
    if (call.flags['dryRun'] === true) {
      call.out.say(settingsInWords(await describeSettings(project), target));
      return planOf(chosen, id);
    }
    warnAll(call, prepared.warnings);
    call.out.say(`loop ${id}: ${chosen.said}`);
    if (single.loop === null) await sayThrownAway(call, project, { place: chosen.place, target });
    await sayUnkept(call, repo, chosen.place, settings);
    noteStart(call, repo, loopId(id));
    const policy = policyOf(prepared.policy, settings, chosen.place);
    const digest = createHash('sha256').update(JSON.stringify(tasks)).digest('hex');
    const file = promptTrackerFile(tracker, digest, tasks);
    const world = await openWorld({
      repo,
      identity,
      settings,
      agents,
      target,
      tracker: file,
      env: call.env,
      tell: (text) => call.out.say(text),
      forge,
    });
    const opening = (state: State): readonly Event[] => [
      ...(state.trackers[tracker] === undefined ? [{ type: 'tasks-read', tracker, digest, tasks } as const] : []),
      ...single.opening,
    ];
    const driven = await driveHost(call, { world, policy, settings, opening });
    // Whoever works in their own checkout finds no worktree there that they did not ask for. One that stays costs room only.
    if (chosen.place.at === 'checkout') await world.gates.dropWorktrees().catch(() => undefined);
    await leaveIgnored(repo, chosen.place, loopId(id));
    if (driven.state.loops[loopId(id)]?.phase.at === 'landed') dropStartedWith(repo, loopId(id));
    const resume = `ralph run --continue --loop-id ${shellWord(id)}`;
    const phase = driven.state.loops[loopId(id)]?.phase;
    const isSpent = isRunsBudget(project) && phase?.at === 'parked' && phase.reason === 'budget';
    const answer = await finishRun(call, driven, policy, { resume, isSpent });
    for (const line of failedWords(repo, driven.state, loopId(id))) call.out.say(line);
    sayYours(call, driven.state.loops[loopId(id)]);
    return answer;
  } finally {
    await chosen.lock?.release();
  }
}

/** A loop that began in a checkout goes on there and nowhere else. */
async function placeOf(
  call: Call,
  project: Project,
  { loop }: Single,
  order: { readonly loop: string; readonly prompt: string; readonly target: string },
): Promise<ChosenPlace> {
  if (loop === null) return choosePlace(call, project, order);
  if (loop.place.at === 'worktree')
    return { place: loop.place, lock: null, said: 'continuing in its worktree', apart: null };
  const { repo } = project;
  const { path } = loop.place;
  if (!isThere(join(path, '.git')))
    throw new AppError('E_NO_WORKTREE', `loop ${loop.id} began in ${path}, and there is no checkout any more`, {
      facts: [`what it committed is on ${loop.branch}`],
      remedy: `git -C ${shellWord(repo.root)} worktree add -f ${shellWord(path)} ${shellWord(loop.branch)}`,
    });
  // Wherever we stand, what counts is where it worked.
  const there: Project = { ...project, repo: { ...repo, worktree: path, linked: path !== repo.root } };
  const isAmid = openSealsOf(project.repo.commonDir).some((seal) => seal.loop === loop.id);
  const chosen = await choosePlace(call, there, { ...order, isAmid });
  if (chosen.place.at === 'checkout') return { ...chosen, place: loop.place };
  throw new AppError('E_BUSY', `loop ${loop.id} began in ${loop.place.path} and cannot continue there now`, {
    facts: [chosen.apart?.why ?? chosen.said],
    // Whoever works there comes to an end by itself; anything else is a person's to change.
    remedy: chosen.apart?.isTaken
      ? `ralph run --continue --loop-id ${shellWord(loop.id)} --exclusive`
      : `git -C ${shellWord(loop.place.path)} status`,
  });
}

/** One loop, one attempt; what the flags say of a run they say of this loop. Lands by itself unless told otherwise. */
function settingsOf(call: Call, { config }: Project): Settings {
  const { settings, origins } = config;
  const isChosen = origins.get('parallel.merge_policy')?.kind !== 'default';
  const mergePolicy =
    call.flags['autoMerge'] === false ? 'manual' : isChosen ? settings.parallel.mergePolicy : 'auto_merge';
  const byFlag = (key: string): boolean => origins.get(key)?.kind === 'flag';
  const { limits, run } = settings;
  return {
    ...settings,
    parallel: { ...settings.parallel, mergePolicy },
    limits: {
      ...limits,
      attempts: 1,
      maxCostUsd: byFlag('run.max_cost') ? run.maxCostUsd : limits.maxCostUsd,
      maxTokens: byFlag('run.max_tokens') ? run.maxTokens : limits.maxTokens,
    },
    run: {
      maxCostUsd: byFlag('run.max_cost') ? null : run.maxCostUsd,
      maxTokens: byFlag('run.max_tokens') ? null : run.maxTokens,
    },
  };
}

/** A single loop has the run's budget for its own, so that is what it was put aside for. */
const isRunsBudget = ({ config: { origins } }: Project): boolean =>
  ['run.max_cost', 'run.max_tokens'].some((key) => origins.get(key)?.kind === 'flag');

const policyOf = (policy: HostPolicy, { parallel }: Settings, place: Place): HostPolicy => ({
  ...policy,
  slots: 1,
  mergePolicy: parallel.mergePolicy,
  place,
});

export interface PromptPlan {
  readonly loop: string;
  readonly place: Place;
  readonly why: string;
}

const planOf = ({ place, said }: ChosenPlace, loop: string): Answer<PromptPlan> => ({
  data: { loop, place, why: said },
  text: `would start loop ${loop}: ${said}`,
});

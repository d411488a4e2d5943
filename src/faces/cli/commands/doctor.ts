import { join, resolve } from 'node:path';
import { BEADS } from '../../../core/model/tasks.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import type { LookedAtBd } from '../../../world/trackers/beads/look-at-bd.ts';
import { describePutBack } from '../../../core/views/describe-put-back.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { State } from '../../../core/model/model.ts';
import { EMPTY_STATE } from '../../../core/model/model.ts';
import { problemLine } from '../../../text/config/layer.ts';
import type { LoadedConfig } from '../../../world/config-files.ts';
import { diagnose } from '../../../world/repair/diagnose.ts';
import { findTaskSource, findTaskSourceOrNull } from '../../../world/trackers/find-source.ts';
import { otherTrackers } from '../../../world/trackers/find-tracker.ts';
import type { Finding } from '../../../world/contract/finding.ts';
import { readCommitter, readIdentity } from '../../../world/git/run/identity.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { areFactsLost } from '../../../world/repair/lost-facts.ts';
import { healthy } from '../../../world/repair/repair.ts';
import type { Repair, RepairPlace } from '../../../world/repair/repair.ts';
import { firstRepairs, laterRepairs } from '../../../world/repair/repairs.ts';
import { unknownLoops } from '../../../world/repair/unknown-loops.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import { openSource, readTracker } from '../../call/open-tasks.ts';
import { checkConfigHere } from '../../call/config-here.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { ofNoUse, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { settleIntegration } from '../run/settle-integration.ts';
import { settleKeeps } from '../run/settle-keeps.ts';
import { askGit } from '../run/start-project.ts';

/** Everything is looked at, also when the first thing is broken: a sick house is what a doctor is for. */
interface Health {
  readonly healthy: boolean;
  readonly fixed: readonly string[];
  readonly findings: readonly (Finding & { readonly fixable: boolean })[];
}

export const handle: Handler<Health> = async (call) => {
  const isFixing = call.flags['fix'] === true;
  if (isFixing) refuseInLoop(call, 'doctor --fix');
  const repo = findRepository(call.cwd);
  const config = await checkConfigHere(call, repo);
  const place = { repo, worktreeRoot: resolve(repo.root, config.settings.parallel.worktreeRoot) };
  const first = await treat(firstRepairs(place, { isThorough: true }), isFixing);
  const taken = isFixing ? await takeUp(place, config) : { fixed: [], findings: [] };
  const settled = isFixing ? await settle(repo, config) : { fixed: [], findings: [] };
  const kept = isFixing ? await settleKept(repo) : { fixed: [], findings: [] };
  const state = await stateOrEmpty(repo);
  const keep = async () => ({
    repo,
    view: await openView(repo),
    identity: await readIdentity(repo),
    ignored: config.settings.keep.ignored,
  });
  const later = await treat(laterRepairs(place, state, keep), isFixing);
  const findings = [
    ...problems(config),
    ...first.findings,
    ...later.findings,
    ...taken.findings,
    ...settled.findings,
    ...kept.findings,
    ...(await lookAtEach(repo, config, call.env)),
    ...(await diagnose({ repo, settings: config.settings, state, env: call.env })),
  ];
  const isHealthy = findings.every((finding) => finding.level !== 'fail');
  const fixed = [...first.fixed, ...taken.fixed, ...settled.fixed, ...kept.fixed, ...later.fixed];
  const told = findings.map((finding) => ({ ...finding, fixable: finding.fixable === true }));
  return {
    data: { healthy: isHealthy, fixed, findings: told },
    text: [
      ...fixed.map((done) => `${call.out.style.green('fixed')} ${done}`),
      ...findings.map((one) => line(call, one)),
    ].join('\n'),
    exit: isHealthy ? EXIT.ok : EXIT.environment,
  };
};

interface Treated {
  readonly fixed: readonly string[];
  readonly findings: readonly Finding[];
}

/** What one repair cannot mend does not keep the others from it. */
async function treat(repairs: readonly Repair[], isFixing: boolean): Promise<Treated> {
  const fixed: string[] = [];
  const findings: Finding[] = [];
  const checks = new Map<string, number>();
  for (const repair of repairs) {
    const before = findings.length;
    try {
      if (isFixing) fixed.push(...(await repair.fix()));
      findings.push(...(await repair.look()));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      findings.push(failed(repair.check, error));
    }
    checks.set(repair.check, (checks.get(repair.check) ?? 0) + findings.length - before);
  }
  const whole = [...checks].filter(([, count]) => count === 0).map(([check]) => healthy(check, 'nothing to repair'));
  return { fixed, findings: [...findings, ...whole] };
}

const failed = (check: string, error: AppError): Finding => ({
  check,
  level: 'fail',
  message: [error.message, ...error.facts].join('; '),
  remedy: error.remedy,
});

/** What a salvage had to leave out of the log, or a deleted one took along, is asked of git, if git can be asked. */
async function takeUp(place: RepairPlace, config: LoadedConfig): Promise<Treated> {
  const { repo } = place;
  const unknown = unknownLoops(place, await stateOrEmpty(repo)).map(({ note }) => note.loop);
  if (!areFactsLost(repo) && unknown.length === 0) return { fixed: [], findings: [] };
  try {
    const { target } = await preflight(repo, config.settings.landing.target);
    const tracker = await findTaskSource({ repo, target: config.target }, config.settings);
    const identity = await readCommitter(repo, config.settings.landing.sign);
    await askGit(repo, { identity, target, tracker });
    const loops = unknown.length === 0 ? '' : `; loops ${unknown.join(', ')}`;
    return { fixed: [`wrote into the log what git knows of landings and loops${loops}`], findings: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fixed: [], findings: [failed('loops', error)] };
  }
}

/** Integration goes back to where the log has it. */
async function settle(repo: Repository, config: LoadedConfig): Promise<Treated> {
  try {
    const { target } = await preflight(repo, config.settings.landing.target);
    const done = await settleIntegration(repo, target);
    return { fixed: done === null ? [] : [describePutBack(done, target)], findings: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fixed: [], findings: [failed('integration', error)] };
  }
}

/** Refs that keep work come back. */
async function settleKept(repo: Repository): Promise<Treated> {
  try {
    const said = await settleKeeps(repo);
    return { fixed: said === null ? [] : [said], findings: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fixed: [], findings: [failed('keep', error)] };
  }
}

/** Each of them, where several are named. */
async function lookAtEach(repo: Repository, config: LoadedConfig, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { shards, tasks } = config.settings;
  const found: Finding[] = [];
  for (const file of shards.length === 0 ? [tasks] : shards)
    found.push(...(await lookAtTasks(repo, { ...config, settings: { ...config.settings, tasks: file } }, env)));
  return found;
}

/** The task file as a run would read it. */
async function lookAtTasks(
  repo: Repository,
  config: LoadedConfig,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const check = 'tasks';
  const { settings, target } = config;
  try {
    const path = await findTaskSourceOrNull({ repo, target }, settings);
    const beads = await lookAtBeads(repo, path === BEADS, env);
    if (path === null) return [healthy(check, 'no task file'), ...beads.findings];
    if (path === BEADS && !beads.isSafe) return beads.findings;
    const { tasks, warnings } = await readTracker(await openSource({ repo, config }, path));
    const others = await otherTrackers({ repo, target }, settings.tasks, path);
    const warned = [...others, ...warnings].map((message): Finding => ({
      check,
      level: 'warn',
      message,
      remedy: null,
    }));
    return [healthy(check, `${path}: ${howMany(tasks.length, 'task')}`), ...warned, ...beads.findings];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [failed(check, error)];
  }
}

/** Of no interest where there are no issues of Beads. */
async function lookAtBeads(repo: Repository, isNeeded: boolean, env: NodeJS.ProcessEnv): Promise<LookedAtBd> {
  if (!isNeeded && !isThere(join(repo.root, '.beads'))) return { findings: [], isSafe: true };
  const { lookAtBd } = await import('../../../world/trackers/beads/look-at-bd.ts');
  return lookAtBd({ env, root: repo.root }, isNeeded);
}

const problems = ({ problems: found, elsewhere }: LoadedConfig): readonly Finding[] =>
  [...found.map(problemLine), ...(elsewhere === null ? [] : [ofNoUse(elsewhere)])].map((message) => ({
    check: 'config',
    level: 'fail',
    message,
    remedy: 'ralph config check',
  }));

/** A log that cannot be read was told of already. */
async function stateOrEmpty(repo: Repository): Promise<State> {
  try {
    return await readState(repo);
  } catch (error) {
    if (error instanceof AppError) return EMPTY_STATE;
    throw error;
  }
}

function line({ out: { style } }: Call, finding: Finding): string {
  const level =
    finding.level === 'ok' ? style.green('ok  ') : finding.level === 'warn' ? style.yellow('warn') : style.red('FAIL');
  return `${level}  ${finding.check}: ${finding.message}${finding.remedy === null ? '' : `\n        fix: ${finding.remedy}`}`;
}

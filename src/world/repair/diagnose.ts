import { statfsSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import { describePutBack } from '../../core/views/describe-put-back.ts';
import { standingOf, vouchedFor } from '../../core/loops/integration-value.ts';
import { standing } from '../../core/views/standing.ts';
import { describeRed } from '../../core/model/line-that-matters.ts';
import type { Settings } from '../../core/model/settings.ts';
import type { State } from '../../core/model/model.ts';
import { isWorking, loopsOf } from '../../core/model/model.ts';
import { asGate, inNewWorktree } from '../../core/model/shell-word.ts';
import { isPromptTask } from '../../core/model/tasks.ts';
import { verdictOf } from '../../core/loops/odds.ts';
import { chooseAgents } from '../agents/choose-agent.ts';
import type { Finding } from '../contract/finding.ts';
import { FITNESS } from './fit-for-work.ts';
import { findForge } from '../forge/find-forge.ts';
import { lacksWhenFresh } from '../setup/fresh-lacks.ts';
import { readIdentity } from '../git/run/identity.ts';
import { missedFilters } from '../git/run/missing-filters.ts';
import { preflight } from '../git/files/preflight.ts';
import type { Repository } from '../git/run/repository.ts';
import { plainView } from '../git/run/view.ts';
import { integrationRef, lookAtIntegration } from '../landing/integration-value.ts';
import { findAllMarked } from '../processes/find-processes.ts';

const DISK_FLOOR_BYTES = 2 * 1024 ** 3;

export interface DiagnoseOptions {
  readonly repo: Repository;
  readonly settings: Settings;
  readonly state: State;
  readonly env: NodeJS.ProcessEnv;
}

/** Looks at everything a run needs and at what earlier ones may have left. Changes nothing. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Finding[]> {
  return [
    await asked('git', async () => {
      const found = await preflight(options.repo, options.settings.landing.target);
      return `git ${found.gitVersion}, target ${found.target} at ${found.targetSha.slice(0, 10)}`;
    }),
    ...(await filters(options.repo)),
    await asked('identity', async () => {
      const { name, email } = await readIdentity(options.repo);
      return `${name} <${email}>`;
    }),
    await asked('agent', async () => {
      const agents = chooseAgents(options.settings, options.env, options.repo.root);
      return agents.map(({ name, settings }) => `${name}: ${settings.command.join(' ')}`).join(', then ');
    }),
    ...(await forge(options)),
    ...(await fitness(options.repo)),
    ...(await integration(options)),
    disk(options.repo),
    gates(options.settings),
    ...base(options),
    ...(await freshWorktrees(options)),
    ...freeLoops(options),
    ...orphanProcesses(options),
  ];
}

/** Only where pull requests are wanted; the token is found, and told to nobody. */
async function forge({ repo, settings, env }: DiagnoseOptions): Promise<readonly Finding[]> {
  if (settings.parallel.mergePolicy !== 'pr') return [];
  const found = await asked('forge', async () => {
    const forgeFound = await findForge({ repo, settings: settings.forge, env });
    const { refusedBy } = await import('../forge/look-at-forge.ts');
    const refused = await refusedBy(forgeFound);
    if (refused !== null) throw refused;
    const { kind, host, owner, repo: name, remote } = forgeFound;
    return `${kind} at ${host}, ${owner}/${name}, by the remote ${remote}; a token was found`;
  });
  return [found];
}

/** What is as it should be is not worth a line each. */
async function fitness(repo: Repository): Promise<readonly Finding[]> {
  const asks = Object.entries(FITNESS).map(([check, ask]) => asked(check, async () => ask(repo)));
  const found = await Promise.all(asks);
  return found.filter(({ level }) => level !== 'ok');
}

async function filters(repo: Repository): Promise<readonly Finding[]> {
  const missed = await missedFilters(repo.root);
  return missed.map(({ message, remedy }) => ({ check: 'filters', level: 'warn', message, remedy }));
}

async function asked(check: string, act: () => Promise<string>): Promise<Finding> {
  try {
    return { check, level: 'ok', message: await act(), remedy: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { check, level: 'fail', message: [error.message, ...error.facts].join('; '), remedy: error.remedy };
  }
}

/** Integration is where the log has it, or is named. */
async function integration({ repo, settings, state }: DiagnoseOptions): Promise<readonly Finding[]> {
  const check = 'integration';
  const past = state.putBacks.map((one): Finding => ({
    check,
    level: 'warn',
    message: describePutBack(one, state.target ?? 'main'),
    remedy: one.kept === null ? null : `git log ${one.kept}`,
  }));
  const target = await preflight(repo, settings.landing.target).then(
    (found) => found.target,
    () => null,
  );
  if (target === null) return past;
  const known = vouchedFor(state, target);
  const found = await asked(check, async () => {
    const seen = await lookAtIntegration({ repo, view: plainView(repo), target }, known);
    if (known.head === null || standingOf(known, seen) !== 'strange')
      return seen.head === null ? 'nothing has landed yet' : `at ${seen.head.slice(0, 10)}`;
    throw new AppError('E_NEEDS_PERSON', `${integrationRef(target)} is ${seen.head ?? 'gone'}, which is no landing`, {
      facts: [`the log has it at ${known.head}`],
      remedy: 'ralph doctor --fix',
    });
  });
  return [...past, found];
}

function disk(repo: Repository): Finding {
  const { bavail, bsize } = statfsSync(repo.commonDir);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  return free < DISK_FLOOR_BYTES
    ? { check: 'disk', level: 'warn', message: `${message}; worktrees may not fit`, remedy: 'ralph parallel clean' }
    : { check: 'disk', level: 'ok', message, remedy: null };
}

function gates(settings: Settings): Finding {
  const { commands } = settings.gates;
  if (commands.length > 0) return { check: 'gates', level: 'ok', message: commands.join(', '), remedy: null };
  return {
    check: 'gates',
    level: 'warn',
    message: 'no gates: work lands untested as soon as it merges',
    remedy: `ralph config set gates.commands '["npm test"]'`,
  };
}

/** What the last run found of main itself; to look is not to run gates. */
function base({ state, settings }: DiagnoseOptions): readonly Finding[] {
  if (settings.gates.commands.length === 0 || !settings.gates.base) return [];
  const [hash, known] = Object.entries(state.bases).at(-1) ?? [];
  const at = known?.commit.slice(0, 10);
  const ok = (message: string): readonly Finding[] => [{ check: 'base', level: 'ok', message, remedy: null }];
  if (hash === undefined || known === undefined) return ok('not tested yet; ralph run does so beside its first agents');
  if (known.red === null)
    return ok(
      verdictOf(state, hash, known.tree) === 'green'
        ? `main itself passes its gates (${at})`
        : `main was not tested yet (${at})`,
    );
  const { report, likely } = known.red;
  const message = [`main itself fails its gates (${at}): ${describeRed(report)}`, ...likely, report.tail.trim()];
  return [
    {
      check: 'base',
      level: 'warn',
      message: message.filter((part) => part !== '').join('\n        '),
      remedy: inNewWorktree(known.commit, asGate(report.failing ?? '')),
    },
  ];
}

async function freshWorktrees({ repo, settings }: DiagnoseOptions): Promise<readonly Finding[]> {
  const lacks = await lacksWhenFresh(repo.root, null, settings.worktree);
  return lacks.map((one) => {
    const [message = one, remedy = null] = one.split('; bring it: ');
    return { check: 'worktrees', level: 'warn', message, remedy };
  });
}

function freeLoops({ state }: DiagnoseOptions): readonly Finding[] {
  const free = loopsOf(state).filter((loop) => isWorking(loop) && loop.host === null);
  if (free.length === 0)
    return [{ check: 'loops', level: 'ok', message: 'every loop at work has a host', remedy: null }];
  const said = free.map((loop) => ({ id: loop.id, ...standing(state, loop) }));
  const named = [...new Set(said.map((one) => `${one.state} (${one.reason ?? ''})`))].map((words) => {
    const ids = said.filter((one) => `${one.state} (${one.reason ?? ''})` === words).map(({ id }) => id);
    return `${ids.length} ${words}: ${ids.join(', ')}`;
  });
  return [
    {
      check: 'loops',
      level: 'warn',
      message: named.join('; '),
      // A run goes on with what is in its task file; the list has the command for each.
      remedy: free.some((loop) => isPromptTask(loop.task)) ? 'ralph loops' : 'ralph run --parallel',
    },
  ];
}

/** Agents that outlive their host are adopted by the next run; until then they are named. */
function orphanProcesses({ state }: DiagnoseOptions): readonly Finding[] {
  return findAllMarked().flatMap(({ identity, loop }) => {
    const known = loop === null ? undefined : state.loops[loop as keyof typeof state.loops];
    if (known === undefined || known.host !== null || !isWorking(known)) return [];
    const message = `process ${identity.pid} of loop ${known.id} has no host`;
    return [{ check: 'processes', level: 'warn', message, remedy: 'ralph run --parallel' }];
  });
}

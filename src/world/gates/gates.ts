import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { createHash } from 'node:crypto';
import { invariant } from '../../core/model/assert.ts';
import { describeMs, describeLeftOut } from '../../core/model/describe-time.ts';
import { lineThatMatters } from '../../core/model/line-that-matters.ts';
import { openLoopLog } from '../worktrees/loop-log.ts';
import { realClock } from '../os/clock.ts';
import { reach } from '../os/failpoint.ts';
import { withNotes, stopNoted } from '../processes/gate-orphans.ts';
import { gateNote, gateSlotOf, setupRecord } from './gate-worktree.ts';
import { newToken } from '../processes/marker.ts';
import { missedBy, withLine } from '../setup/run-setup.ts';
import { gateEnvironment } from '../processes/environment.ts';
import { runCommand } from '../processes/run-command.ts';
import { readSetup } from '../setup/set-up.ts';
import { gateLog, workerLog, lockFile } from '../git/run/state-places.ts';
import { slug } from '../../core/model/ids.ts';
import { withOneMutexOf } from '../processes/mutex.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import type { GateReport } from '../../core/model/model.ts';
import type { GateSettings } from '../../core/model/settings.ts';
import type { Repository } from '../git/run/repository.ts';
import type { CommandResult } from '../processes/run-command.ts';
import type { SetupFailure } from '../setup/set-up.ts';
import type { GateRunner, LoopSlot } from '../contract/world.ts';
import type { Altered } from '../../core/model/altered.ts';
import type { Sha } from '../../core/model/ids.ts';

const GRACE_MS = 3000;

/** Ends that a program hardly ever chooses itself as an exit code; `git` says 129 for a wrong option. */
const KILLS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGXCPU'] as const;

/** Runs the gates one after the other until one fails. */
export function openGates(repo: Repository, gates: GateSettings, env: NodeJS.ProcessEnv): GateRunner {
  return {
    run: async ({ path, commit, name, toldTo, timeoutMs, signal, force }) => {
      const logFile = gateLog(repo, name);
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
      const limitMs = Math.min(gates.timeoutMs, timeoutMs ?? gates.timeoutMs);
      const slot = gateSlotOf(path);
      invariant(slot !== null, `${path} is no place for gates`);
      const setup = readSetup(setupRecord(repo, slot))?.failed ?? null;
      if (setup?.isConfigured === true)
        return { report: { verdict: 'red', failing: setup.command, tail: setup.tail }, durationMs: 0 };
      let durationMs = 0;
      const ended = async (report: GateReport): ReturnType<GateRunner['run']> => {
        const altered = commit === null ? null : await findTraces(repo, path, commit);
        if (altered === null) return { report, durationMs };
        const ran = report.failing === null ? gates.commands.length : gates.commands.indexOf(report.failing) + 1;
        return { report: { ...report, altered: { by: gates.commands.slice(0, ran), ...altered } }, durationMs };
      };
      for (const command of gates.commands) {
        const token = newToken();
        reach('gate.start');
        const held = await withResources({ repo, gates, command }, signal, (notes) =>
          withNotes([...notes, gateNote(repo, slot)], token, () =>
            runCommand({
              command,
              cwd: path,
              env: { ...gateEnvironment(env, gates.passEnv), RALPH_GATE_SLOT: String(slot) },
              logFile,
              timeoutMs: limitMs,
              graceMs: force.aborted ? 0 : GRACE_MS,
              signal,
              token,
            }),
          ),
        );
        if (held === null || held.value.aborted) return null;
        const ran = held.value;
        if (toldTo !== undefined) tellLoopLog(repo, toldTo, { command, logFile, offset: ran.offset });
        reach('gate.end');
        durationMs += Math.round(ran.durationMs);
        if (ran.code !== 0)
          return ended(
            redReport(
              command,
              `${afterSetup(setup)}${fromInside(path, tailOf(ran, limitMs))}`,
              missedBy(command, { logFile, offset: ran.offset, env, passEnv: gates.passEnv }),
            ),
          );
      }
      return ended({ verdict: 'green', failing: null, tail: '' });
    },
  };
}

function tellLoopLog(
  repo: Repository,
  { slot, task }: LoopSlot,
  { command, logFile, offset }: { readonly command: string; readonly logFile: string; readonly offset: number },
): void {
  const log = openLoopLog(workerLog(repo, slot, task), () => realClock.nowMs());
  log.note(`gate: ${command}`);
  log.append(logFile, offset);
}

function redReport(failing: string, tail: string, leftOut: readonly string[]): GateReport {
  const report = { verdict: 'red', failing, tail } as const;
  if (leftOut.length === 0) return report;
  return { ...report, tail: withLine(tail, describeLeftOut(leftOut)), leftOut };
}

/** Files by the names they have in every worktree: the one the gates ran in is nobody's to look into. */
const fromInside = (path: string, tail: string): string =>
  tail.replaceAll(`file://${path}/`, '').replaceAll(`${path}/`, '');

/** What was not installed is the likely reason for what fails then. */
function afterSetup(failed: SetupFailure | null): string {
  if (failed === null) return '';
  const why = lineThatMatters(failed.tail);
  return `(before the gates, ${failed.command} failed${why === '' ? '' : `: ${why}`})\n`;
}

/** The end of the output, and how it ended where the output cannot tell. */
function tailOf(ran: CommandResult, limitMs: number): string {
  const killedBy = KILLS.find((name) => ran.code === 128 + constants.signals[name]);
  const how = ran.timedOut
    ? `stopped after ${describeMs(limitMs)}`
    : ran.code === 128 + constants.signals.SIGPIPE
      ? 'killed by SIGPIPE: what it was piped into ended before it had read everything, as head and grep -q do'
      : killedBy === undefined
        ? null
        : `killed by ${killedBy}`;
  return how === null ? ran.tail : withLine(ran.tail, how);
}

const DIGEST_CHARS = 8;

/**
 * Runs `act` while holding one place of each thing the gate command uses, by name so that two commands never wait for each
 * other. It is told where to note whose processes use them. Null: the signal came first.
 */
async function withResources<T>(
  { repo, gates, command }: { readonly repo: Repository; readonly gates: GateSettings; readonly command: string },
  signal: AbortSignal,
  act: (notes: readonly string[]) => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const enter = async (names: readonly string[], notes: readonly string[]): Promise<{ readonly value: T } | null> => {
    const [name, ...rest] = names;
    if (name === undefined) return { value: await act(notes) };
    const held = await withOneMutexOf(placesOf(repo, name, gates.resources[name] ?? 1), signal, async (place) => {
      const note = `${place}.token`;
      await stopNoted(note);
      return enter(rest, [...notes, note]);
    });
    return held?.value ?? null;
  };
  return enter(usedBy(gates, command), []);
}

const usedBy = (gates: GateSettings, command: string): readonly string[] =>
  Object.keys(gates.uses)
    .filter((name) => gates.uses[name]?.some((user) => user.trim() === command.trim()) === true)
    .sort();

function placesOf(repo: Repository, name: string, count: number): readonly string[] {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARS);
  return Array.from({ length: Math.max(1, count) }, (_, at) =>
    lockFile(repo, `resource-${slug(name)}-${digest}-${at + 1}`),
  );
}

/** What gates did to tracked files; what they write beside them is nobody's concern. */
type GateTraces = Pick<Altered, 'files' | 'paths' | 'committed'>;

/** More would not tell more. */
const PATHS_SHOWN = 5;

/** One look after the gates, with a second one only where they have moved HEAD. Where git cannot tell, nobody is accused. */
async function findTraces(repo: Repository, path: string, commit: Sha): Promise<GateTraces | null> {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return null;
  try {
    const status = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=no'];
    const left = entriesOf((await runGit([...HARDENED, ...status], { cwd: path })).stdout);
    const head = readHeadFile(repo.commonDir, adminDir)?.commit ?? commit;
    const diff = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', commit, head];
    const committed = head === commit ? [] : entriesOf((await runGit([...HARDENED, ...diff], { cwd: path })).stdout);
    const changed = left.map((entry) => entry.slice('XY '.length));
    const paths = [...new Set([...committed, ...changed])].sort();
    if (head === commit && paths.length === 0) return null;
    return { files: paths.length, paths: paths.slice(0, PATHS_SHOWN), committed: head !== commit };
  } catch {
    return null;
  }
}

const entriesOf = (output: string): readonly string[] => output.split('\0').filter((entry) => entry !== '');

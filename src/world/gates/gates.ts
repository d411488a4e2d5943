import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { invariant } from '../../core/model/assert.ts';
import { describeMs } from '../../core/model/describe-time.ts';
import { describeLeftOut } from '../../core/model/left-out.ts';
import { lineThatMatters } from '../../core/model/line-that-matters.ts';
import type { GateReport } from '../../core/model/model.ts';
import type { GateSettings } from '../../core/model/settings.ts';
import { openLoopLog } from '../worktrees/loop-log.ts';
import { realClock } from '../os/clock.ts';
import { reach } from '../os/failpoint.ts';
import { withNotes } from '../processes/gate-orphans.ts';
import { withResources } from './gate-resources.ts';
import { findTraces } from './gate-traces.ts';
import { gateNote, gateSlotOf, setupRecord } from './gate-worktree.ts';
import type { Repository } from '../git/run/repository.ts';
import { newToken } from '../processes/marker.ts';
import { missedBy, withLine } from '../setup/missed-variables.ts';
import { gateEnvironment } from '../processes/environment.ts';
import { type CommandResult, runCommand } from '../processes/run-command.ts';
import { type SetupFailure, readSetup } from '../setup/set-up.ts';
import { gateLog, workerLog } from '../git/run/state-places.ts';
import type { GateRunner, LoopSlot } from '../contract/world.ts';

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

import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { invariant } from '../core/assert.ts';
import { describeMs } from '../core/describe-time.ts';
import { describeLeftOut } from '../core/left-out.ts';
import type { GateReport } from '../core/model.ts';
import type { GateSettings } from '../core/settings.ts';
import { reach } from './failpoint.ts';
import { withNotes } from './gate-orphans.ts';
import { withResources } from './gate-resources.ts';
import { findTraces } from './gate-traces.ts';
import { gateNote, gateSlotOf, setupRecord } from './gate-worktree.ts';
import type { Repository } from './git/repository.ts';
import { newToken } from './ids.ts';
import { missedBy, withLine } from './missed-variables.ts';
import { gateEnvironment } from './processes/environment.ts';
import { type CommandResult, runCommand } from './processes/run-command.ts';
import { type SetupFailure, readSetup } from './set-up.ts';
import { gateLog } from './state-places.ts';
import type { Gates } from './world.ts';

const GRACE_MS = 3000;

/** Ends that a program hardly ever chooses itself as an exit code; `git` says 129 for a wrong option. */
const KILLS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGXCPU'] as const;

/** Runs the gates one after the other until one fails. */
export function openGates(repo: Repository, gates: GateSettings, env: NodeJS.ProcessEnv): Gates {
  return {
    run: async ({ path, commit, name, timeoutMs, signal, force }) => {
      const logFile = gateLog(repo, name);
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
      const limitMs = Math.min(gates.timeoutMs, timeoutMs ?? gates.timeoutMs);
      const slot = gateSlotOf(path);
      invariant(slot !== null, `${path} is no place for gates`);
      const setup = readSetup(setupRecord(repo, slot))?.failed ?? null;
      if (setup?.isConfigured === true)
        return { report: { verdict: 'red', failing: setup.command, tail: setup.tail }, durationMs: 0 };
      let durationMs = 0;
      const ended = async (report: GateReport): ReturnType<Gates['run']> => {
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
        reach('gate.end');
        durationMs += Math.round(ran.durationMs);
        if (ran.code !== 0)
          return ended(
            redReport(
              command,
              `${afterSetup(setup)}${tailOf(ran, limitMs)}`,
              missedBy(command, { logFile, offset: ran.offset, env, passEnv: gates.passEnv }),
            ),
          );
      }
      return ended({ verdict: 'green', failing: null, tail: '' });
    },
  };
}

function redReport(failing: string, tail: string, leftOut: readonly string[]): GateReport {
  const report = { verdict: 'red', failing, tail } as const;
  if (leftOut.length === 0) return report;
  return { ...report, tail: withLine(tail, describeLeftOut(leftOut)), leftOut };
}

/** What was not installed is the likely reason for what fails then. */
function afterSetup(failed: SetupFailure | null): string {
  if (failed === null) return '';
  const why = failed.tail.split('\n').findLast((line) => line.trim() !== '') ?? '';
  return `(before the gates, ${failed.command} failed${why === '' ? '' : `: ${why.trim()}`})\n`;
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

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GateSettings } from '../core/settings.ts';
import type { Repository } from './git/repository.ts';
import { newToken } from './ids.ts';
import { gateEnvironment } from './processes/environment.ts';
import { runCommand } from './processes/run-command.ts';
import { gateLog } from './state-places.ts';
import type { Gates } from './world.ts';

const GRACE_MS = 3000;

/** Runs the gates one after the other until one fails. */
export function openGates(repo: Repository, gates: GateSettings, env: NodeJS.ProcessEnv): Gates {
  return {
    run: async ({ path, name, signal, force }) => {
      const logFile = gateLog(repo, name);
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
      let durationMs = 0;
      for (const command of gates.commands) {
        const graceMs = force.aborted ? 0 : GRACE_MS;
        const ran = await runCommand({
          command,
          cwd: path,
          env: gateEnvironment(env),
          logFile,
          timeoutMs: gates.timeoutMs,
          graceMs,
          signal,
          token: newToken(),
        });
        if (ran.aborted) return null;
        durationMs += Math.round(ran.durationMs);
        if (ran.code !== 0) {
          const tail = ran.timedOut ? `${ran.tail}\n(stopped after ${gates.timeoutMs} ms)` : ran.tail;
          return { report: { verdict: 'red', failing: command, tail }, durationMs };
        }
      }
      return { report: { verdict: 'green', failing: null, tail: '' }, durationMs };
    },
  };
}

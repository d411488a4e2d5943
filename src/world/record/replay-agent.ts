import { dirname, join, resolve } from 'node:path';
import type { AgentSettings, Driver } from '../../core/settings.ts';
import type { LoopRecord } from '../../text/record/record.ts';
import type { OurProgram } from '../agent-run/our-program.ts';
import { ourProgram } from '../agent-run/our-program.ts';
import { loadRecord } from './record-file.ts';

export interface Replay {
  readonly record: LoopRecord;
  /** An agent that does again what the record says, in its n-th iteration the n-th thing. */
  readonly agent: AgentSettings;
}

/** Reads a record and makes an agent of it. No network, no model: what it changes is gated and landed as anybody's work. */
export function replayAgent(file: string, program: OurProgram = ourProgram()): Replay {
  const record = loadRecord(file);
  const agent: AgentSettings = {
    driver: playedBy(record.header.driver),
    command: [program.node, join(dirname(program.main), 'replay.js'), resolve(file)],
    args: [],
    model: null,
    // It is no client that could refuse to work for root.
    env: { IS_SANDBOX: '1' },
    passEnv: [],
    account: 'replay',
    maxTurns: Number.MAX_SAFE_INTEGER,
    rateLimit: null,
    stallMs: null,
    sandbox: 'none',
    mcp: false,
    price: null,
  };
  return { record, agent };
}

/** What it printed is read as it was; but nobody answers in a conversation any more. */
function playedBy(driver: Driver): Driver {
  if (driver === 'claude-stdio') return 'claude';
  return driver === 'acp' || driver === 'codex-app-server' ? 'jsonl' : driver;
}

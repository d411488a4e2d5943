import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPrice, Driver } from '../../core/settings.ts';
import { PROTOCOLS } from '../../text/agents/agent-event.ts';
import type { Protocol } from '../../text/agents/agent-event.ts';
import { readIfThere } from '../processes/read-if-there.ts';

/** How one iteration was started: what any later host needs to watch it and to read what it printed. */
export interface AgentFile {
  readonly name: string;
  readonly account: string;
  readonly driver: Driver;
  readonly protocol: Protocol;
  readonly price: AgentPrice | null;
  /** The newest guidance its prompt holds. */
  readonly guided: number;
  readonly maxTurns: number;
  readonly stallMs: number | null;
}

const NAME = 'agent.json';
const UNKNOWN = 'unknown';

export function writeAgentFile(dir: string, agent: AgentFile): void {
  writePrivately(join(dir, NAME), JSON.stringify(agent));
}

/** Without the file, or with a damaged one, the output is still worth something: as text. */
export function readAgentFile(dir: string): AgentFile {
  const value = readJsonFile(join(dir, NAME)) as Partial<AgentFile> | null;
  return {
    name: value?.name ?? UNKNOWN,
    account: value?.account ?? UNKNOWN,
    driver: value?.driver ?? 'text',
    protocol: PROTOCOLS.find((one) => one === value?.protocol) ?? 'text',
    price: value?.price ?? null,
    guided: value?.guided ?? 0,
    maxTurns: value?.maxTurns ?? Number.MAX_SAFE_INTEGER,
    stallMs: value?.stallMs ?? null,
  };
}

/** Whole or not at all, and readable by its owner only. */
export function writePrivately(file: string, text: string): void {
  writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** The object in a file; null when there is none. */
export function readJsonFile(file: string): object | null {
  try {
    const value: unknown = JSON.parse(readIfThere(file)?.toString('utf8') ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

import { join } from 'node:path';
import type { AgentPrice, Driver } from '../../../core/model/settings.ts';
import { PROTOCOLS } from '../../../text/agents/agent-event.ts';
import type { Protocol } from '../../../text/agents/agent-event.ts';
import { readJsonFile, writePrivately } from '../../os/files.ts';

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
  /** What the agent prints where there were too many requests; null: nothing of its own. */
  readonly rateLimit: string | null;
}

const NAME = 'agent.json';
const UNKNOWN = 'unknown';
/** It takes what it can read of any client, and the rest as plain words. */
const READS_ANY = 'jsonl';

export function writeAgentFile(dir: string, agent: AgentFile): void {
  writePrivately(join(dir, NAME), JSON.stringify(agent));
}

/** Without the file, or with a damaged one, the output is still worth something: its shape tells whose it is. */
export function readAgentFile(dir: string): AgentFile {
  const value = (readJsonFile(join(dir, NAME)) ?? {}) as Partial<AgentFile>;
  return {
    name: textOr(value.name, UNKNOWN),
    account: textOr(value.account, UNKNOWN),
    driver: textOr(value.driver, READS_ANY),
    protocol: PROTOCOLS.find((one) => one === value.protocol) ?? READS_ANY,
    price: typeof value.price === 'object' ? value.price : null,
    guided: numberOr(value.guided, 0),
    maxTurns: numberOr(value.maxTurns, Number.MAX_SAFE_INTEGER),
    stallMs: numberOr(value.stallMs, null),
    rateLimit: typeof value.rateLimit === 'string' ? value.rateLimit : null,
  };
}

const textOr = <T extends string>(value: T | undefined, other: T): T => (typeof value === 'string' ? value : other);
const numberOr = <T>(value: number | null | undefined, other: T): number | T =>
  typeof value === 'number' ? value : other;

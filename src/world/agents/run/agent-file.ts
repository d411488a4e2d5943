import { join, resolve } from 'node:path';
import { readFileSync, statSync } from 'node:fs';
import type { AgentPrice, Driver } from '../../../core/model/settings.ts';
import { PROTOCOLS } from '../../../text/agents/agent-event.ts';
import type { Protocol } from '../../../text/agents/agent-event.ts';
import { readJsonFile, writePrivately } from '../../os/files.ts';
import { textIfThere } from '../../os/read-if-there.ts';

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

const PROGRAM_NAME = 'program.txt';
/** A script somebody wrote by hand; a client's bundle is longer, and says nothing about this repository. */
const SCRIPT_BYTES_MAX = 64 * 1024;

/** Writes down what the agent is: its command line, and the scripts that it names. It may change them while it runs. */
export function noteProgram(dir: string, command: readonly string[], cwd: string): void {
  const scripts = command.filter((word) => word.includes('/') && !/\s/.test(word)).map((word) => scriptAt(cwd, word));
  writePrivately(join(dir, PROGRAM_NAME), [...command, ...scripts].filter((text) => text !== '').join('\n'));
}

function scriptAt(cwd: string, word: string): string {
  try {
    const file = resolve(cwd, word);
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > SCRIPT_BYTES_MAX) return '';
    const text = readFileSync(file, 'utf8');
    return text.includes('\0') ? '' : text;
  } catch {
    return '';
  }
}

export const readProgram = (dir: string): string => textIfThere(join(dir, PROGRAM_NAME));

import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Identity } from '../../git/run/identity.ts';
import type { Repository } from '../../git/run/repository.ts';
import type { Clock } from '../../contract/world.ts';
import type { OurProgram } from './our-program.ts';

export interface AgentLimits {
  /** How much is kept of one iteration's output; the middle is cut. */
  readonly logMb: number;
  /** How much output stops an iteration. */
  readonly outputMb: number;
}

export const AGENT_LIMITS: AgentLimits = { logMb: 64, outputMb: 2048 };

/** All that running agents needs to know. */
export interface AgentPlace {
  readonly repo: Repository;
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentSettings>;
  /** The user's. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly limits: AgentLimits;
  /** Whom agents commit as. */
  readonly identity: Identity;
  readonly program: OurProgram;
}

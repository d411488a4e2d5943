import type { AgentSettings, CompletionSignal } from '../../core/settings.ts';
import type { Identity } from '../git/identity.ts';
import type { Repository } from '../git/repository.ts';
import type { Clock } from '../world.ts';
import type { OurProgram } from './our-program.ts';

/** All that running agents needs to know. */
export interface AgentPlace {
  readonly repo: Repository;
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentSettings>;
  /** The user's. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly signal: CompletionSignal;
  readonly limits: { readonly logMb: number; readonly outputMb: number };
  /** Whom agents commit as. */
  readonly identity: Identity;
  readonly program: OurProgram;
}

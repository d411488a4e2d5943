import type { HostPolicy, State } from '../../core/model/model.ts';
import type { CompletionSignal, LandingSettings } from '../../core/model/settings.ts';
import type { World } from '../../world/contract/world.ts';

/** How agents say that they are done. */
export interface Completion {
  readonly signal: CompletionSignal;
  readonly promise: string;
}

export interface PerformContext {
  readonly world: World;
  readonly state: () => State;
  readonly policy: HostPolicy;
  readonly completion: Completion;
  readonly gateCommands: readonly string[];
  readonly protect: readonly string[];
  /** A file that has to be there before a loop is done; null: none has to. */
  readonly needs: string | null;
  readonly landing: Pick<LandingSettings, 'message' | 'auto'>;
  readonly force: AbortSignal;
}

/** As much as is needed to say what an agent would be told. */
export interface PromptContext extends Pick<PerformContext, 'state' | 'policy' | 'completion' | 'gateCommands'> {
  readonly world: Pick<World, 'clock' | 'prompts'> & {
    readonly worktrees: Pick<World['worktrees'], 'touched'>;
    readonly integration: Pick<World['integration'], 'describe'>;
  };
}

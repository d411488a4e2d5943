import type { State } from '../../core/model.ts';
import type { ChosenAgent } from '../../world/choose-agent.ts';
import type { Call } from './handler.ts';
import type { Project } from './project.ts';

export interface Recording {
  /** The prompt of the record that is played again; null: none is. */
  readonly prompt: string | null;
  /** Who plays it. */
  readonly agents: { readonly agents?: readonly ChosenAgent[] };
  keep(project: Project, state: State, loop: string): Promise<void>;
}

/** What `--record` and `--replay` ask for. */
export function openRecording(_call: Call): Recording {
  return { prompt: null, agents: {}, keep: async () => undefined };
}

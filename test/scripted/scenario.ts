/** What each step takes. A step in a scenario is an object with exactly one of these keys; `agent.mjs` plays it. */
interface StepArguments {
  readonly write: { readonly path: string; readonly text: string };
  readonly append: { readonly path: string; readonly text: string };
  readonly remove: { readonly path: string };
  /** The message; everything in the worktree is added first. Nothing to commit is no error. */
  readonly commit: string;
  readonly leaveDirty: { readonly path: string; readonly text: string };
  readonly sleepMs: number;
  readonly print: string;
  readonly printErr: string;
  /** `true`, or the promised text where it is configured to be another. Printed when reached: put it last. */
  readonly claim: true | string;
  readonly claimFalsely: true;
  readonly exit: number;
  readonly hang: true;
  readonly ignoreTerm: true;
  /** A child in a session of its own; `path` gets its pid. */
  readonly spawnSetsid: { readonly sleepMs: number; readonly path?: string };
  readonly flood: { readonly bytes: number };
  readonly escape: { readonly path: string; readonly text: string };
  readonly gitInit: { readonly path: string };
  readonly checkout: { readonly ref: string };
  /** Runs its steps only when the prompt tells of a failed gate, or, with `when`, holds that very text. */
  readonly fixOnGateFailure: { readonly steps: readonly Step[]; readonly when?: string };
  readonly waitForFile: { readonly path: string; readonly timeoutMs?: number };
  readonly env: { readonly path: string };
  readonly prompt: { readonly path: string };
  readonly pwd: { readonly path: string };
}

type StepName = keyof StepArguments;
export type Step = { [K in StepName]: { readonly [P in K]: StepArguments[K] } }[StepName];

export interface Script {
  /** Steps of iteration 1, 2, …; a later iteration repeats the last. */
  readonly iterations: readonly (readonly Step[])[];
}

export interface Scenario {
  readonly tasks?: Readonly<Record<string, Script>>;
  readonly default?: Script;
  /** File that gets one line when an agent starts and one when it ends. */
  readonly record?: string;
}

import type { Handler } from './handler.ts';

export interface FlagSpec {
  /** As typed: `--max-workers <n>`, `--json`. */
  readonly flag: string;
  readonly description: string;
  /** The setting this flag gives, by its dotted key; a flag without a value sets it to true. */
  readonly key?: string;
  readonly repeats?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly group: 'Work' | 'Watch' | 'Land' | 'Repair' | 'Set up' | 'Inside a loop';
  /** Imperative, no full stop. */
  readonly summary: string;
  /** As typed: `[id...]`. */
  readonly argument: { readonly name: string; readonly description: string } | null;
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly handle: Handler }>;
}

export const JSON_FLAG: FlagSpec = { flag: '--json', description: 'print JSON on standard output' };
export const TASKS_FLAG: FlagSpec = {
  flag: '--tasks <file>',
  description: 'the task file (PRD.md, prd.json, tasks.yaml)',
  key: 'tasks',
};
export const SET_FLAG: FlagSpec = {
  flag: '--set <key=value>',
  description: 'any setting by its dotted key, for this call only',
  repeats: true,
};
export const NO_FETCH_FLAG: FlagSpec = {
  flag: '--no-fetch',
  description: 'do not ask the remote that the target follows',
};
export const TARGET_FLAG: FlagSpec = {
  flag: '--target <branch>',
  description: 'the branch to land on',
  key: 'landing.target',
};
export const PUBLISH_FLAG: FlagSpec = {
  flag: '--publish <mode>',
  description: 'when your branch follows: end, each or manual',
  key: 'landing.publish',
};
export const WITH_BRANCH_FLAG: FlagSpec = {
  flag: '--with-branch',
  description: 'also what else its branch holds: commits that neither it nor a landed loop made',
};

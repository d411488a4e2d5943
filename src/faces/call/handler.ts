import type { ExitCode } from '../../core/model/errors.ts';
import type { Output } from './output.ts';

/** What a command is given: words, flags and where to speak. */
export interface Call {
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** Settings given by flags, by dotted key. */
  readonly settings: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: Output;
  readonly words: readonly string[];
  /** Which flag gave a setting, by dotted key. */
  readonly flagOf: ReadonlyMap<string, string>;
}

export type Handler = (call: Call) => Promise<ExitCode>;

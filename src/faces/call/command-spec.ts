import type { Answer, Call } from './handler.ts';
import type { ExitCode } from '../../core/model/errors.ts';

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
  /** Offered to MCP clients too. */
  readonly tool?: ToolMark;
  readonly load: () => Promise<{ readonly handle: (call: Call) => Promise<Answer | ExitCode> }>;
}

/** A command as a tool: its parameters are the words of its argument and its flags. */
export interface ToolMark {
  /** Without it the command's name, with `_` for each space. */
  readonly name?: string;
  /** A client may ask less of its user for what only reads, and more for what may take something away. */
  readonly does?: 'reads' | 'takes';
  /** Also offered to an agent inside a loop. */
  readonly isForLoops?: true;
  /** The flags that are parameters; without it all but `--json` and `--set`. */
  readonly flags?: readonly string[];
  /** What a parameter is called where that is another word than the table's. */
  readonly names?: Readonly<Record<string, string>>;
}

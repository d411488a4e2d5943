import type { AppError, ExitCode } from '../../core/model/errors.ts';
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
  /** It is about the tasks of one file: where several are named, it is called once for each. */
  readonly takesTasks?: boolean;
  /** Of a face that may take its wish back: what is long ends in order then, as after Ctrl-C. */
  readonly signal?: AbortSignal;
}

/**
 * What a command answers; the faces render it. What takes long also speaks while it works: messages by `out.say`, and what
 * is printed line by line by `out.data`.
 */
export interface Answer<Data extends object = object> {
  /** The whole answer: names in snake_case, times as ISO 8601 with milliseconds. Null: it was printed as it came. */
  readonly data: Data | null;
  /** The same for people, on standard output; left out where nothing was asked for. */
  readonly text?: string;
  /** What was done, and what to do next: messages, and nothing that `data` does not have. */
  readonly says?: readonly string[];
  readonly exit?: ExitCode;
  /** What is reported after all that; its exit code counts. */
  readonly error?: AppError | null;
}

/** A handler names its data. Without a name it is of the old kind: it prints by itself. */
export type Handler<Data extends object | null = null> = (
  call: Call,
) => Promise<[Data] extends [object] ? Answer<Data> : ExitCode>;

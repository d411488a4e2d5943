/** What the model does with one answer. Strings may hold `${task}`, `${cwd}` and `${nth}` (which conversation of the task it is). */
export interface Turn {
  /** Words, alone or beside a tool call. */
  readonly text?: string;
  /** A command line for whatever shell tool the client offers. */
  readonly shell?: string;
  /** A file for whatever tool of the client writes files. */
  readonly write?: { readonly path: string; readonly content: string };
  /** A tool of our MCP server, by its own name. */
  readonly verb?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
  /** The answer in the form that was asked for: by the client's own tool for it, else as the last words. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** Refused instead of answered, the first `times` times a task comes here (for ever unless told); then the next turn has its place. */
  readonly error?: Refusal;
  readonly times?: number;
  /** Answered only once the test releases this name. */
  readonly after?: string;
  /** Never answered. */
  readonly hang?: true;
  readonly usage?: Partial<Usage>;
}

export interface Refusal {
  readonly status: number;
  /** Made when it is sent: a reset time counts from the request. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface Scenario {
  /** Each conversation of a task takes the next list; the last one repeats. */
  readonly byTask?: Readonly<Record<string, readonly (readonly Turn[])[]>>;
  readonly turns?: readonly Turn[];
  /** Sent with every answer. */
  readonly okHeaders?: Readonly<Record<string, string>>;
  readonly usage?: Partial<Usage>;
}

export const USAGE: Usage = { input: 1000, output: 50, cacheRead: 200, cacheWrite: 300 };
const PROMISE = '<promise>COMPLETE</promise>';

/** What an honest model does: one file of the task's own, a commit, and the claim. */
export const HONEST: readonly Turn[] = [
  { text: 'I will write it.', write: { path: '${cwd}/${task}.txt', content: 'made by ${task}\n' } },
  { shell: 'git add -A && git commit -q -m "Add ${task}"' },
  { text: `All done. ${PROMISE}` },
];

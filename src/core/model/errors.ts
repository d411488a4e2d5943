/** What a process may exit with. One table for every command; documented in docs/reference/errors.md. */
export const EXIT = {
  ok: 0,
  parked: 1,
  usage: 2,
  badInput: 3,
  environment: 4,
  busy: 5,
  needsPerson: 6,
  limit: 7,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CatalogEntry {
  readonly exit: ExitCode;
  readonly means: string;
}

/** Every operating error a user can meet: its exit code and what it means in one sentence. */
export const CATALOG = {
  E_USAGE: { exit: EXIT.usage, means: 'Unknown command, flag or argument.' },
  E_UNKNOWN_ID: { exit: EXIT.usage, means: 'No task, loop, keep or worktree has this id.' },
  E_AMBIGUOUS_ID: { exit: EXIT.usage, means: 'The id prefix matches more than one task, loop, keep or worktree.' },
  E_NAME: { exit: EXIT.usage, means: 'A name or a folder cannot be used for a worktree or branch.' },
  E_UNSUPPORTED: { exit: EXIT.badInput, means: 'This version cannot do that yet.' },
  E_NO_LOOP: { exit: EXIT.usage, means: 'The command only works inside a loop.' },
  E_NO_WORKTREE: { exit: EXIT.usage, means: 'The loop has no worktree of its own, or no longer has one.' },
  E_LOOP_ENDED: { exit: EXIT.usage, means: 'The loop or iteration is over.' },
  E_NESTED: {
    exit: EXIT.usage,
    means:
      'A loop tried to do what only a person may: start a run, land, review, publish, free a task, steer, discard, undo, change settings.',
  },
  E_CONFIG: {
    exit: EXIT.badInput,
    means: 'A configuration file, flag or RALPH_ variable holds an invalid value.',
  },
  E_CONFIG_EXISTS: { exit: EXIT.badInput, means: 'The configuration file already exists.' },
  E_NO_TASKS: { exit: EXIT.badInput, means: 'No task file was found.' },
  E_TASKS: { exit: EXIT.badInput, means: 'The task file cannot be used as it is.' },
  E_TASKS_UNSAFE: { exit: EXIT.badInput, means: 'The task file is not a plain file of reasonable size.' },
  E_BEADS: {
    exit: EXIT.environment,
    means: '`bd`, the program of Beads, is missing, too old, or failed.',
  },
  E_PROMPT: { exit: EXIT.badInput, means: 'A prompt template cannot be used as it is.' },
  E_REVIEW: { exit: EXIT.badInput, means: 'A file of review comments cannot be used as it is.' },
  E_LOOP_FILE: { exit: EXIT.badInput, means: 'A state file of the ralph-loop plugin is missing or cannot be read.' },
  E_UNKNOWN_AGENT: { exit: EXIT.badInput, means: 'The configuration names an agent that is not defined.' },
  E_NO_REPOSITORY: { exit: EXIT.environment, means: 'This folder is not inside a git repository.' },
  E_NO_COMMITS: { exit: EXIT.environment, means: 'The repository has no commit to start from.' },
  E_NO_TARGET: { exit: EXIT.environment, means: 'The branch to land on does not exist.' },
  E_GIT_MISSING: { exit: EXIT.environment, means: 'git is not installed or too old.' },
  E_GIT: { exit: EXIT.environment, means: 'A git command failed.' },
  E_FILTER_MISSING: {
    exit: EXIT.environment,
    means: 'Files go through a filter (Git LFS, say) whose program is not installed.',
  },
  E_INEXACT: {
    exit: EXIT.environment,
    means:
      'Files that were written for gates are not what was committed: an object in .git is damaged, or something changed them.',
  },
  E_ENVELOPE: {
    exit: EXIT.environment,
    means: 'A merge came out with changes that the branch did not make; nothing landed.',
  },
  E_NO_IDENTITY: { exit: EXIT.environment, means: 'git has no user name and email to commit with.' },
  E_REPOSITORY_BROKEN: {
    exit: EXIT.environment,
    means: 'The repository holds a half-made worktree entry that blocks git.',
  },
  E_REPOSITORY_UNSUPPORTED: {
    exit: EXIT.environment,
    means: 'The repository uses something paralph cannot work with.',
  },
  E_NO_AGENT: { exit: EXIT.environment, means: 'No agent is configured and none was found.' },
  E_AGENT_MISSING: { exit: EXIT.environment, means: 'The agent command cannot be started.' },
  E_AGENT_FAILED: { exit: EXIT.environment, means: 'The agent starts, but its trial turn failed.' },
  E_NO_FORGE: { exit: EXIT.environment, means: 'No forge was found for this repository, or no token for it.' },
  E_FORGE: { exit: EXIT.environment, means: 'The forge does not answer, or refused the request.' },
  E_SETUP: { exit: EXIT.environment, means: 'A [worktree] setup command failed in a new worktree.' },
  E_ENVIRONMENT: { exit: EXIT.environment, means: 'An environment variable cannot be passed on.' },
  E_PROCESS: { exit: EXIT.environment, means: 'The system refused to start a process.' },
  E_STATE_UNWRITABLE: { exit: EXIT.environment, means: 'The state folder cannot be written.' },
  E_LOG_DAMAGED: { exit: EXIT.environment, means: 'A record of the log does not match its checksum.' },
  E_LOG_NEWER: { exit: EXIT.environment, means: 'The log was written by a newer version.' },
  E_UNREMOVABLE: { exit: EXIT.environment, means: 'A folder that paralph has to delete cannot be deleted.' },
  E_DISK: { exit: EXIT.environment, means: 'The disk is full.' },
  E_INTERRUPTED: { exit: EXIT.interrupted, means: 'You pressed Ctrl-C while the command waited for another process.' },
  E_TERMINATED: { exit: EXIT.terminated, means: 'The command got SIGTERM while it waited for another process.' },
  E_LIMIT: {
    exit: EXIT.limit,
    means: 'A limit of the project ([project] in ralph.toml) is reached, so nothing starts.',
  },
  E_BUSY: { exit: EXIT.busy, means: 'Another process holds what this command needs.' },
  E_UNLANDED: {
    exit: EXIT.needsPerson,
    means: 'The worktree to remove holds work that is not committed or has not landed.',
  },
  E_MOVED: { exit: EXIT.needsPerson, means: 'The work is no longer at the commit that you read.' },
  E_NEEDS_PERSON: { exit: EXIT.needsPerson, means: 'A decision that only a person can make is pending.' },
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof CATALOG;

export interface ErrorFacts {
  /** The command that fixes it, ready to paste. */
  readonly remedy?: string;
  /** Further lines: one fact each (for example one problem of a file each). */
  readonly facts?: readonly string[];
  readonly cause?: unknown;
}

/** How to get a version that knows more. */
export const UPGRADE = 'npm install --global paralph@latest';

/** An operating error: something outside is not as we need it, and here is how to mend it. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly remedy: string | null;
  readonly facts: readonly string[];

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.remedy = facts.remedy ?? null;
    this.facts = facts.facts ?? [];
  }

  get exit(): ExitCode {
    return CATALOG[this.code].exit;
  }
}

/** The record is whole, but it tells of something that only a newer version does. */
export function newerEvent(seq: number, event: never): AppError {
  const { type } = event as { readonly type: unknown };
  return new AppError(
    'E_LOG_NEWER',
    `record ${seq} of the log holds the event ${JSON.stringify(type)}, which this version does not know`,
    {
      remedy: UPGRADE,
    },
  );
}

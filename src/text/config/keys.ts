import { DRIVERS } from '../../core/settings.ts';

/** What a key may hold. Everything that checks, describes or edits a value is derived from this. */
export type KeyType =
  | { readonly kind: 'text' }
  | { readonly kind: 'pattern' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'count'; readonly min: number; readonly max: number }
  | { readonly kind: 'amount' }
  | { readonly kind: 'duration' }
  /** The same two, or the word `auto`. */
  | { readonly kind: 'auto-count'; readonly min: number; readonly max: number }
  | { readonly kind: 'auto-duration' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'texts' }
  | { readonly kind: 'people' }
  | { readonly kind: 'landing-template' }
  | { readonly kind: 'shell-line' }
  /** judge: their exit codes decide something, so each must be a command that is waited for. */
  | { readonly kind: 'shell-lines'; readonly judge: boolean }
  | { readonly kind: 'argv' }
  | { readonly kind: 'variable' }
  | { readonly kind: 'variable-names' };

/** A value as a person writes it: durations stay `"2h"`, units appear only in the settled result. */
export type KeyValue = string | number | boolean | readonly string[];

export interface ConfigKey {
  /** Dotted; `*` stands for a name the user chose. */
  readonly path: string;
  readonly type: KeyType;
  /** null: nothing unless someone sets it. */
  readonly fallback: KeyValue | null;
  readonly about: string;
  /** Other accepted names for the last part of the path. */
  readonly aliases: readonly string[];
  /** The variable that sets it; null: files and flags only. */
  readonly env: string | null;
  /** What a commented-out line shows when there is no fallback to show. */
  readonly example: KeyValue;
}

const text: KeyType = { kind: 'text' };
const texts: KeyType = { kind: 'texts' };
const amount: KeyType = { kind: 'amount' };
const flag: KeyType = { kind: 'flag' };
const duration: KeyType = { kind: 'duration' };
const choice = (...of: readonly string[]): KeyType => ({ kind: 'choice', of });
const count = (min: number, max: number): KeyType => ({ kind: 'count', min, max });
const autoCount = (min: number, max: number): KeyType => ({ kind: 'auto-count', min, max });
const shellLines: KeyType = { kind: 'shell-lines', judge: false };
const MANY = 1_000_000;
/** What clients, git and forges read from a repository and act upon without asking. */
export const PROTECTED = [
  '.claude/**',
  '.mcp.json',
  '.codex/**',
  '.gemini/**',
  '.qwen/**',
  '.opencode/**',
  'opencode.json',
  'opencode.jsonc',
  '.copilot/**',
  '.github/copilot/**',
  '.pi/**',
  '.clinerules/**',
  '.continue/**',
  '.cursor/**',
  'ralph.toml',
  'ralph.local.toml',
  '.ralph/**',
  '**/.gitattributes',
  // One line in it makes every `npm test` succeed.
  '**/.npmrc',
  '.github/workflows/**',
];

function key(
  path: string,
  type: KeyType,
  fallback: KeyValue,
  about: string,
  aliases: readonly string[] = [],
): ConfigKey {
  return { path, type, fallback, about, aliases, env: envName(path), example: fallback };
}

function open(path: string, type: KeyType, example: KeyValue, about: string): ConfigKey {
  return { path, type, fallback: null, about, aliases: [], env: path.includes('*') ? null : envName(path), example };
}

/** The variable that sets a key: `parallel.max_workers` is `RALPH_PARALLEL_MAX_WORKERS`. */
export function envName(path: string): string {
  return `RALPH_${path.replaceAll('.', '_').toUpperCase()}`;
}

/** Every key there is, in the order documents show them. */
export const KEYS: readonly ConfigKey[] = [
  open('tasks', text, 'PRD.md', 'Task file, relative to the checkout; found by name when unset.'),
  open('agent', text, 'claude', 'Agent that works on tasks; the first installed one when unset.'),
  key('fallback', texts, [], 'Agents that take over while the first one is held back by a limit or a login.'),
  key('completion_promise', text, 'COMPLETE', 'What an agent prints when it believes its task is done.'),
  key(
    'completion_signal',
    choice('promise', 'exit_signal', 'loop_complete', 'ship_block', 'structured'),
    'promise',
    'How an agent says that it is done: <promise>TEXT</promise>, EXIT_SIGNAL: true, LOOP_COMPLETE, SHIP or BLOCK, or structured output.',
  ),
  key(
    'auto_spawn_strategy',
    choice('ask', 'always', 'never'),
    'ask',
    'What ralph start does where a loop works already: ask: asks you; always: starts beside it; never: writes a launch script, starts nothing.',
  ),
  key('plans', text, 'docs/plans', 'Folder of the plans that ralph start asks for, relative to the checkout.', [
    'spec_directory',
  ]),

  key('parallel.enabled', flag, false, 'Work on several tasks at once.'),
  key('parallel.max_workers', count(1, 256), 3, 'How many agents may work at the same time.'),
  key('parallel.worktree_root', text, '.ralph/worktrees', 'Folder that holds the worktrees, relative to the checkout.'),
  key(
    'parallel.strategy',
    choice('queue', 'group'),
    'queue',
    'queue: any tasks side by side, but tasks of one group one after the other; group: the tasks without a group are one group too.',
  ),
  key(
    'parallel.merge_policy',
    choice('manual', 'auto_merge', 'pr'),
    'manual',
    'manual: a person lands; auto_merge: green work lands by itself; pr: open a pull request. Unset, tasks wait for a person and a prompt (ralph run PROMPT) lands by itself.',
  ),
  key(
    'parallel.conflict_resolution.strategy',
    choice('requeue', 'ai_resolve', 'stop'),
    'requeue',
    'Work that does not merge: requeue: its own agent mends it; ai_resolve: another agent does; stop: it is parked.',
  ),
  key('parallel.conflict_resolution.ai_agent', text, 'claude', 'Agent that resolves conflicts with ai_resolve.'),

  key(
    'gates.commands',
    { kind: 'shell-lines', judge: true },
    [],
    'Shell commands that must all exit 0 before anything lands; bash -eo pipefail runs them.',
  ),
  key(
    'gates.timeout',
    { kind: 'auto-duration' },
    '30m',
    'Longest a single gate may take; auto: three times what it usually takes.',
  ),
  key(
    'gates.pass_env',
    { kind: 'variable-names' },
    [],
    'Variables (NAME or PREFIX_*) gates get from your environment though they look like credentials.',
  ),
  key(
    'gates.base',
    flag,
    true,
    'Run the gates on main itself, beside the first agents; while they fail there, only the earliest task goes on.',
  ),
  open('gates.resources.*', count(1, 256), 1, 'How many gates may use this thing (a database, a port) at once.'),
  open('gates.uses.*', shellLines, ['npm run test:db'], 'Which of gates.commands use the thing of that name.'),

  open(
    'agents.*.driver',
    choice(...DRIVERS),
    'text',
    'How the agent is started and read; a known name has its own, any other is text.',
  ),
  open(
    'agents.*.command',
    { kind: 'argv' },
    ['my-agent', '--print'],
    'Program and first arguments; a driver other than text adds its own. The prompt comes on standard input.',
  ),
  open('agents.*.args', texts, ['--effort', 'high'], "Further arguments, after the driver's own."),
  open('agents.*.model', text, 'claude-sonnet-4-5', "Model to ask for; the client's default when unset."),
  open('agents.*.account', text, 'work', 'Agents with the same account share its limits; the name when unset.'),
  open(
    'agents.*.max_turns',
    count(1, MANY),
    500,
    'Answers of the model in one iteration before it is stopped; 500 when unset.',
  ),
  open(
    'agents.*.stall',
    duration,
    '30m',
    'Silence after which the agent counts as stuck; 30m when unset, and never for text.',
  ),
  open(
    'agents.*.rate_limit',
    { kind: 'pattern' },
    'quota of the hour',
    'Regular expression, whatever the case: a line of output that matches means too many requests, so the agent waits.',
  ),
  open(
    'agents.*.sandbox',
    choice('workspace', 'none'),
    'workspace',
    "workspace: the client's own sandbox around the worktree, where it has one; none: without.",
  ),
  open('agents.*.mcp', flag, true, 'Offer the agent the verbs of a loop (progress, block, memory, done) as MCP tools.'),
  open('agents.*.price.input', amount, 3, 'US dollars per million input tokens, where the client tells no cost.'),
  open('agents.*.price.cached', amount, 0.3, 'US dollars per million cached input tokens.'),
  open('agents.*.price.output', amount, 15, 'US dollars per million output tokens.'),
  open('agents.*.env.*', { kind: 'variable' }, 'value', 'A variable set for this agent.'),
  open(
    'agents.*.pass_env',
    { kind: 'variable-names' },
    ['MY_AGENT_*'],
    'Variables (NAME or PREFIX_*) this agent gets from your environment.',
  ),

  key('limits.iterations', count(1, MANY), 10, 'Most iterations in one loop.', ['max_iterations']),
  key('limits.runtime', duration, '2h', 'Longest one loop may take.', ['max_runtime']),
  key('limits.no_progress', count(1, MANY), 3, 'Iterations without a change before a loop stops.', [
    'no_progress_limit',
    'no_progress_iterations',
  ]),
  key('limits.attempts', count(1, MANY), 1, 'Loops a task may get before it is parked.', [
    'max_attempts',
    'attempts_per_task',
    'max_attempts_per_task',
  ]),
  key('limits.consecutive_failures', count(1, MANY), 3, 'Failed iterations in a row before a loop stops.', [
    'max_consecutive_failures',
  ]),
  key('limits.grace', duration, '10s', 'How long an agent may take to end after being asked.'),
  open('limits.max_cost', amount, 5, 'US dollars one loop may spend.'),
  open('limits.max_tokens', count(1, Number.MAX_SAFE_INTEGER), 2_000_000, 'Tokens one loop may use.'),
  key('limits.log_mb', count(1, MANY), 64, "Megabytes kept of one iteration's output; the middle is cut."),
  key('limits.output_mb', count(1, MANY), 2048, 'Megabytes of output that stop an iteration.'),
  key('limits.free_mb', count(0, MANY), 512, 'Megabytes free on the disk below which nothing new starts.'),

  open('run.max_cost', amount, 20, 'US dollars one run may spend, all loops together.'),
  open('run.max_tokens', count(1, Number.MAX_SAFE_INTEGER), 10_000_000, 'Tokens one run may use, all loops together.'),

  key('prompt.memory_tokens', count(0, MANY), 2000, 'How many tokens of memories go into a prompt.'),

  open(
    'landing.target',
    text,
    'main',
    'Branch to land on; when unset what origin/HEAD names, else main, else master, else the one checked out.',
  ),
  key('landing.fetch', flag, true, 'Ask the remote branch that the target follows before work begins.'),
  key(
    'landing.publish',
    choice('end', 'each', 'manual'),
    'end',
    'When your branch moves to what landed: at the end, after each landing, or when you say so.',
  ),
  key('landing.method', choice('merge', 'squash', 'rebase'), 'merge', 'Shape of a landing in history.'),
  key(
    'landing.protect',
    texts,
    PROTECTED,
    'Paths (with * and **) that land only when a person says so: what is in them runs in every other loop. What defines the gates joins them; !PATH takes one out.',
  ),
  key(
    'landing.max_new_files',
    count(0, MANY),
    2000,
    'New files that one loop lands by itself at most. More are left out of what is committed for its agent; in commits of its own they wait for a person.',
  ),
  key('landing.max_new_mb', count(0, MANY), 50, 'The same for megabytes of new files.'),
  key(
    'landing.batch_max',
    autoCount(1, 256),
    'auto',
    'Branches tested together in one train at most; auto: as many as past landings suggest.',
  ),
  key(
    'landing.gate_slots',
    autoCount(1, 16),
    'auto',
    'Gate runs of a train at the same time; auto: as many as the machine can take.',
  ),
  key(
    'landing.max_attempts',
    count(0, 20),
    3,
    'How often a loop that does not fit with what landed goes back to work before it is parked.',
  ),
  key(
    'landing.flake_retries',
    autoCount(0, 5),
    'auto',
    'Further runs of red gates before anybody is blamed for them; auto: as many as past runs suggest, at least one.',
  ),
  key(
    'landing.strict_every_commit',
    flag,
    false,
    'Land several at once only if none of the steps between is known to be red.',
  ),
  open(
    'landing.message',
    { kind: 'landing-template' },
    'Land {{title}}',
    'Message of a landing, with variables in double braces; trailers are added below it.',
  ),
  key('landing.co_authors', { kind: 'people' }, [], 'Named as co-authors of every landing: NAME <MAIL>.'),
  key(
    'landing.sign',
    choice('auto', 'always', 'never'),
    'auto',
    'Sign landings: auto: if your git signs your own commits; always: nothing lands unsigned; never: do not.',
  ),
  key(
    'landing.merge.union',
    texts,
    ['CHANGELOG.md'],
    'Files (with * and **) of which both sides keep their lines when they conflict.',
  ),
  open(
    'landing.merge.regenerate.*',
    { kind: 'shell-line' },
    'npm install --package-lock-only',
    'Command that makes this file anew when it conflicts.',
  ),

  key('keep.days', count(1, MANY), 30, 'Days until kept work that is on main too is let go; the rest stays.'),
  key(
    'keep.ignored',
    texts,
    ['.env*', '*.local'],
    'Files (with * and **) that git ignores and that are kept all the same when a worktree goes, or while an agent works in your checkout.',
  ),

  key(
    'worktree.path',
    text,
    '~/worktrees/<name>',
    'Folder of a worktree for a person, relative to the main checkout, with <name>, <branch> and <repo>.',
  ),
  key('worktree.branch', text, 'feature/<name>', 'Branch of a worktree for a person, with <name> and <repo>.'),
  key(
    'worktree.copy',
    texts,
    ['.env', '.env.*', '*.local', '.vscode/**'],
    'Files (with * and **) that git ignores or does not know, copied into a new worktree.',
  ),
  key('worktree.exclude', texts, [], 'Files (with * and **) that are not copied all the same.'),
  open(
    'worktree.keep',
    texts,
    ['node_modules', 'build'],
    'Ignored files (as in .gitignore) that stay when a worktree is used again for gates or another loop; unset: what a lock file installs (node_modules, .venv), and for loops what its tools build into.',
  ),
  key('worktree.submodules', flag, true, 'Fetch submodules into a new worktree.'),
  key(
    'worktree.install',
    choice('auto', 'never'),
    'auto',
    'Install what a new worktree depends on; auto: as its lock files say; never: do not.',
  ),
  key('worktree.setup', shellLines, [], 'Shell commands that prepare a new worktree, in place of what was detected.'),
  key(
    'worktree.port_base',
    autoCount(1024, 65_000),
    'auto',
    'First port of the first worktree, told as RALPH_PORT_BASE; auto: one from 20000 to 32767, by the path of the repository.',
  ),
  key('worktree.port_step', count(1, 1000), 10, 'How many ports each worktree has to itself.'),
];

import { COPIED, PROTECTED } from './known-files.ts';
import { FORGE_KEYS } from './forge-keys.ts';
import { key, open } from './key.ts';
import type { ConfigKey } from './key.ts';
import { DRIVERS, OUTSIDE_TRACKERS } from '../../core/model/settings.ts';
import {
  amount,
  argv,
  autoCount,
  autoDuration,
  branchOfLoop,
  choice,
  choices,
  count,
  duration,
  filePath,
  flag,
  folderOfLoop,
  judgingLines,
  landingTemplate,
  ownerAndName,
  pattern,
  shellLine,
  shellLines,
  text,
  textOrTexts,
  texts,
  variable,
  variableNames,
} from './key-types.ts';

export type { ConfigKey, KeyValue } from './key.ts';

const MANY = 1_000_000;
/** Every key there is, in the order documents show them. */
export const KEYS: readonly ConfigKey[] = [
  open(
    'tasks',
    textOrTexts,
    'PRD.md',
    'Task file, relative to the checkout, or a list of them; found by name when unset.',
  ),
  open('agent', text, 'claude', 'Agent that works on tasks; the first installed one when unset.'),
  key('fallback', texts, [], 'Agents that take over while the first one is held back by a limit or a login.'),
  key('completion_promise', text, 'COMPLETE', 'What an agent prints when it believes its task is done.'),
  key(
    'completion_signal',
    choice('promise', 'loop_complete'),
    'promise',
    'How an agent says that it is done: <promise>TEXT</promise> or LOOP_COMPLETE.',
  ),
  open(
    'completion_file',
    filePath,
    'docs/report.md',
    'File that has to be there, with something in it, before a loop counts as done: `ralph start NAME plan-only` sets it to the plan.',
  ),
  key(
    'auto_spawn_strategy',
    choice('ask', 'always', 'never'),
    'ask',
    'What ralph start does where a loop works already: ask: asks you; always: starts beside it; never: writes a launch script, starts nothing.',
  ),
  key('plans', text, 'docs/plans', 'Folder of the plans that ralph start asks for, relative to the checkout.'),

  key('parallel.enabled', flag, false, 'Work on several tasks at once.'),
  key(
    'parallel.max_workers',
    count(1, 256),
    3,
    'How many tasks of task files may be worked on at the same time, by all runs of the repository together; a run with a larger --max-workers raises it while it lives. A prompt (ralph run PROMPT) never waits for it.',
  ),
  key('parallel.worktree_root', text, '.ralph/worktrees', 'Folder that holds the worktrees, relative to the checkout.'),
  open(
    'parallel.branch',
    branchOfLoop,
    'feature/<task>',
    "Template of a loop's branch, with <task>, <loop> and <repo>; ralph/<loop> when unset, for ralph orchestrate agent/<task>. A second attempt gets -2.",
  ),
  open(
    'parallel.worktree_path',
    folderOfLoop,
    '../<repo>-<task>',
    "Template of a loop's folder, relative to the main checkout, with <task>, <loop> and <repo>; it serves that loop alone. Unset: any folder below worktree_root, for ralph orchestrate ../worktrees/<task>.",
  ),
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
    judgingLines,
    [],
    'Shell commands that must all exit 0 before anything lands; bash -eo pipefail runs them.',
  ),
  key('gates.timeout', autoDuration, '30m', 'Longest a single gate may take; auto: three times what it usually takes.'),
  key(
    'gates.pass_env',
    variableNames,
    [],
    'Variables (NAME or PREFIX_*) gates get from your environment though they look like credentials.',
  ),
  key(
    'gates.base',
    flag,
    true,
    'Run the gates on main itself, beside the first agents; while they fail there, only the earliest task continues.',
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
    argv,
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
    pattern,
    'quota of the hour',
    'Regular expression, whatever the case: a line of output that matches means too many requests, so the agent waits.',
  ),
  open(
    'agents.*.sandbox',
    choice('workspace', 'none'),
    'workspace',
    "workspace: the client's own sandbox around the worktree, where it has one; none: without.",
  ),
  open('agents.*.price.input', amount, 3, 'US dollars per million input tokens, where the client tells no cost.'),
  open('agents.*.price.cached', amount, 0.3, 'US dollars per million cached input tokens.'),
  open('agents.*.price.output', amount, 15, 'US dollars per million output tokens.'),
  open('agents.*.env.*', variable, 'value', 'A variable set for this agent.'),
  open(
    'agents.*.pass_env',
    variableNames,
    ['MY_AGENT_*'],
    'Variables (NAME or PREFIX_*) this agent gets from your environment.',
  ),

  key(
    'tracker.kind',
    choice('auto', 'file', ...OUTSIDE_TRACKERS),
    'auto',
    'Where tasks are kept. file: in a task file; beads: in the issues of Beads, by its program bd; github: in the issues of GitHub; auto: the task file that is named, else one found by name, else Beads where .beads is.',
  ),
  key(
    'tracker.only',
    texts,
    [],
    'Tasks to work on, as KEY=VALUE with id, group, story, epic, label, milestone, assignee or priority (also priority<=N); one key twice: either, several keys: all. In the ralph.local.toml of a linked worktree it counts there alone.',
  ),
  open('tracker.repository', ownerAndName, 'owner/name', 'Repository whose issues are tasks; unset: that of [forge].'),
  key(
    'tracker.labels',
    texts,
    [],
    'Labels that an issue of GitHub must have, all of them, to be a task; none: every issue that a collaborator opened is.',
  ),
  open('tracker.milestone', text, 'v1', 'Only issues of this milestone are tasks: its title, or its number.'),
  open('tracker.assignee', text, 'octocat', 'Only issues that are assigned to this login are tasks.'),

  key('limits.iterations', count(1, MANY), 10, 'Most iterations in one loop.'),
  key('limits.runtime', duration, '2h', 'Longest one loop may take.'),
  key('limits.no_progress', count(1, MANY), 3, 'Iterations without a change before a loop stops.'),
  key('limits.attempts', count(1, MANY), 1, 'Loops a task may get before it is parked.'),
  key('limits.consecutive_failures', count(1, MANY), 3, 'Failed iterations in a row before a loop stops.'),
  key('limits.grace', duration, '10s', 'How long an agent may take to end after being asked.'),
  open('limits.max_cost', amount, 5, 'US dollars one loop may spend.'),
  open('limits.max_tokens', count(1, Number.MAX_SAFE_INTEGER), 2_000_000, 'Tokens one loop may use.'),
  key('limits.free_mb', count(0, MANY), 512, 'Megabytes free on the disk below which nothing new starts.'),

  open('run.max_cost', amount, 20, 'US dollars one run may spend, all loops together.'),
  key(
    'run.on_hangup',
    choice('stop', 'detach'),
    'stop',
    'When the terminal of a run is closed; stop: in order, as after Ctrl-C; detach: it continues without one.',
  ),
  open('run.max_tokens', count(1, Number.MAX_SAFE_INTEGER), 10_000_000, 'Tokens one run may use, all loops together.'),

  open('project.max_cost', amount, 50, 'US dollars all runs together may spend in a day (see per).'),
  open(
    'project.max_tokens',
    count(1, Number.MAX_SAFE_INTEGER),
    20_000_000,
    'Tokens all runs together may use in a day.',
  ),
  open('project.iterations', count(1, MANY), 200, 'Iterations all runs together may make in a day.'),
  open('project.runtime', duration, '24h', 'Time of work, all loops added up, in a day.'),
  open(
    'project.consecutive_failures',
    count(1, MANY),
    5,
    'Loops parked in a row, until nothing new starts; one that is done, or a task that you free, begins anew.',
  ),
  key(
    'project.per',
    choice('day', 'total'),
    'day',
    'What the limits in [project] are for: each day of your calendar, or all there ever was.',
  ),

  key('prompt.memory_tokens', count(0, MANY), 2000, 'How many tokens of memories go into a prompt.'),

  open(
    'landing.target',
    text,
    'main',
    'Branch to land on; when unset what origin/HEAD names, else main, else master, else the one checked out.',
  ),
  key(
    'landing.fetch',
    flag,
    true,
    'Ask the remote branch that the target follows before work begins, and before a task lands.',
  ),
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
    'landing.auto.paths',
    texts,
    [],
    'What lands by itself, or is merged without an approval: work whose every changed path fits one of these (with * and **). Empty: any path.',
  ),
  open(
    'landing.auto.max_lines',
    count(0, MANY),
    200,
    'The same by size: lines added plus lines deleted. Unset: any number.',
  ),
  key('landing.auto.labels', texts, [], 'The same by task: it has one of these labels. Empty: it needs none.'),

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
  open(
    'landing.max_waiting',
    count(1, MANY),
    6,
    'Loops that may wait for a review; with so many nothing new starts. Under merge_policy "manual" those at work count too. Unset: no bound.',
  ),
  key(
    'landing.flake_retries',
    autoCount(0, 5),
    'auto',
    'Further runs of red gates before a branch is blamed for them; auto: as many as past runs suggest, at least one.',
  ),

  open(
    'landing.message',
    landingTemplate,
    'Land {{title}}',
    'Message of a landing, with variables in double braces; trailers are added below it.',
  ),
  key(
    'landing.sign',
    choice('auto', 'always', 'never'),
    'auto',
    'Sign what paralph commits: auto: if your git signs your own commits; always: in any case; never: do not.',
  ),
  key(
    'landing.merge.union',
    texts,
    ['CHANGELOG.md'],
    'Files (with * and **) of which both sides keep their lines when they conflict.',
  ),
  open(
    'landing.merge.regenerate.*',
    shellLine,
    'npm install --package-lock-only',
    'Command that makes this file anew when it conflicts.',
  ),

  key(
    'notify.terminal',
    flag,
    true,
    'Tell the terminal that a run has something for you: most show a note on the desktop.',
  ),
  open(
    'notify.command',
    shellLine,
    'notify-send "$(jq -r .title)"',
    'Gets each notification as one JSON object on its standard input; ended after 5 seconds.',
  ),
  key(
    'notify.on',
    choices('needs-you', 'held', 'finished', 'landed'),
    ['needs-you', 'held', 'finished'],
    'What notifications are about: a loop or a landing that needs you, a run that can start nothing, its end, each landing.',
  ),

  open('report.on_finish', filePath, 'report.html', 'Where a run writes its report when it ends, below .ralph/.'),

  ...FORGE_KEYS,

  key('keep.days', count(1, MANY), 30, 'Days until kept work that is also on main is deleted; the rest stays.'),
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
    COPIED,
    'Files (with * and **) that git ignores or does not know, copied into a new worktree; !FILES takes out.',
  ),
  open(
    'worktree.keep',
    texts,
    ['node_modules', 'build'],
    'Ignored files (as in .gitignore) that stay when a worktree is used again for gates or another loop; unset: what a lock file installs (node_modules, .venv), and for loops what its tools build into.',
  ),
  key('worktree.submodules', flag, true, 'Fetch submodules into a new worktree.'),
  open(
    'worktree.setup',
    shellLines,
    ['npm ci'],
    'Shell commands that prepare a new worktree; unset: what its lock files say; none ([]): nothing is installed.',
  ),
];

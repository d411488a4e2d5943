import { invariant } from '../../core/model/assert.ts';
import { keyPart, lastPart } from './dotted.ts';
import { CHOSEN_NAMES } from './chosen-names.ts';
import { KEYS, type ConfigKey, type KeyValue } from './keys.ts';
import { tomlText } from './quoted.ts';

type Json = Readonly<Record<string, unknown>>;
interface TableSchema {
  readonly type: 'object';
  readonly additionalProperties: boolean | Json;
  readonly propertyNames?: Json;
  readonly properties?: Record<string, unknown>;
}

/** What a look around the checkout found; null: nothing, so the line stays a comment. */
export interface FoundForTemplate {
  readonly tasks: string | null;
  readonly agent: string | null;
  readonly gates: readonly string[];
}

const OPENING = `#:schema ./node_modules/paralph/schema/ralph.schema.json
# Configuration of ralph. A line that starts with "# name =" shows a default: remove the "# " to change it.
# Stronger than this file: ralph.local.toml (yours alone), RALPH_* variables, flags. See: ralph config list
`;

const PARALLEL = `[parallel]
enabled = false              # opt-in
max_workers = 3              # concurrent agents
worktree_root = ".ralph/worktrees"
strategy = "queue"           # queue|group
# merge_policy = "manual"    # manual|auto_merge|pr; unset, a prompt of your own lands by itself
# branch = "feature/<task>"  # unset: ralph/<loop>
# worktree_path = "../<repo>-<task>"

[parallel.conflict_resolution]
strategy = "requeue"         # requeue|ai_resolve|stop
ai_agent = "claude"          # agent to use for AI resolution
`;

const TOP_KEYS = [
  'fallback',
  'completion_promise',
  'completion_signal',
  'completion_file',
  'auto_spawn_strategy',
  'plans',
];
const AGENT_KEY = /^agents\.\*\.[a-z_]+$/;

/** JSON Schema of a configuration file, kept to draft-07 because TOML editors know no newer one. */
export function configJsonSchema(): object {
  const root = tableSchema('');
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'ralph.toml', ...root };
}

/** Every key as a markdown table. */
export function configReference(): string {
  const rows = KEYS.map((key) => [
    code(shownPath(key.path)),
    prose(key.type.words),
    key.fallback === null ? 'unset' : code(tomlText(key.fallback)),
    key.env === null ? 'none' : code(key.env),
    prose(key.about),
  ]);
  const head = ['key', 'value', 'default', 'variable', 'meaning'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n') + '\n';
}

/** The file a new project starts with: every key, each with its meaning; only what was found and the parallel tables are set. */
export function configTemplate(found: FoundForTemplate): string {
  return [
    OPENING,
    [line('tasks', found.tasks), line('agent', found.agent), ...TOP_KEYS.map((path) => line(path, null))].join(''),
    PARALLEL,
    '[gates]\n' +
      line('gates.commands', found.gates.length === 0 ? null : found.gates) +
      line('gates.timeout', null) +
      line('gates.pass_env', null) +
      line('gates.base', null),
    '# [gates.resources]\n' + line('gates.resources.*', null, 'db'),
    '# [gates.uses]\n' + line('gates.uses.*', null, 'db'),
    agentLines(),
    '# [tracker]\n' + linesOf('tracker.'),
    '[limits]\n' + linesOf('limits.'),
    '[run]\n' + linesOf('run.'),
    '[project]\n' + linesOf('project.'),
    '[prompt]\n' + linesOf('prompt.'),
    '[landing]\n' + linesOf('landing.'),
    '# [landing.auto]\n' + linesOf('landing.auto.'),
    '# [landing.merge]\n' + linesOf('landing.merge.'),
    '# [landing.merge.regenerate]\n' + line('landing.merge.regenerate.*', null, keyPart('package-lock.json')),
    '# [notify]\n' + linesOf('notify.'),
    '# [report]\n' + linesOf('report.'),
    '# [forge]\n' + linesOf('forge.'),
    '# [forge.pr]\n' + linesOf('forge.pr.'),
    '# [keep]\n' + linesOf('keep.'),
    '# [worktree]\n' + linesOf('worktree.'),
  ].join('\n');
}

function tableSchema(table: string): TableSchema {
  const prefix = table === '' ? '' : `${table}.`;
  const inside = KEYS.filter((key) => key.path.startsWith(prefix));
  const chosen = inside.find((key) => key.path.startsWith(`${prefix}*`));
  if (chosen !== undefined) {
    const each = chosen.path === `${prefix}*` ? keySchema(chosen) : tableSchema(`${prefix}*`);
    return {
      type: 'object',
      additionalProperties: each as Json,
      propertyNames: { pattern: CHOSEN_NAMES[table]?.shape.source },
    };
  }
  const properties: Record<string, unknown> = {};
  for (const key of inside) {
    const [name = '', ...deeper] = key.path.slice(prefix.length).split('.');
    if (deeper.length > 0) {
      properties[name] ??= tableSchema(prefix + name);
      continue;
    }
    properties[name] = keySchema(key);
  }
  return { type: 'object', additionalProperties: false, properties };
}

function keySchema(key: ConfigKey): Json {
  const fallback = key.fallback === null ? {} : { default: key.fallback };
  return { description: key.about, ...key.type.schema, ...fallback };
}

function shownPath(path: string): string {
  const parts = path.split('.');
  const patternOf = (at: number): string => parts.slice(0, at).join('.');
  return parts.map((part, at) => (part === '*' ? (CHOSEN_NAMES[patternOf(at)]?.shown ?? part) : part)).join('.');
}

function code(text: string): string {
  return cell(`\`${text}\``);
}

/** Markdown would take a word in angle brackets for a tag and show nothing. */
function prose(text: string): string {
  return cell(text).replaceAll('<', '\\<');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function agentLines(): string {
  const variables = keyAt('agents.*.env.*');
  const env = `# ${variables.about}\n# env = { MY_VARIABLE = ${tomlText(variables.example)} }\n`;
  const price = KEYS.filter(({ path }) => path.startsWith('agents.*.price.'))
    .map(({ path, example }) => `${lastPart(path)} = ${tomlText(example)}`)
    .join(', ');
  const rest = KEYS.filter(({ path }) => AGENT_KEY.test(path) && path !== 'agents.*.command');
  return (
    '# [agents.mine]\n' +
    line('agents.*.command', null) +
    env +
    rest.map(({ path }) => line(path, null)).join('') +
    `# ${keyAt('agents.*.price.input').about}\n# price = { ${price} }\n`
  );
}

function linesOf(prefix: string): string {
  return KEYS.filter((key) => key.path.startsWith(prefix) && !key.path.slice(prefix.length).includes('.'))
    .map((key) => line(key.path, null))
    .join('');
}

function line(path: string, value: KeyValue | null, name = lastPart(path)): string {
  const key = keyAt(path);
  const pair = `${name} = ${tomlText(value ?? key.example)}`;
  return `# ${key.about}\n${value === null ? '# ' : ''}${pair}\n`;
}

function keyAt(path: string): ConfigKey {
  const key = KEYS.find((each) => each.path === path);
  invariant(key !== undefined, `no configuration key ${path}`);
  return key;
}

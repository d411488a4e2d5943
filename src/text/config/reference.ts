import { invariant } from '../../core/assert.ts';
import { PERSON, VARIABLE_NAMES } from './check-value.ts';
import { keyPart, lastPart, tableOf } from './dotted.ts';
import { CHOSEN_NAMES } from './chosen-names.ts';
import { KEYS, type ConfigKey, type KeyType, type KeyValue } from './keys.ts';
import { tomlText } from './toml-text.ts';

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

[parallel.conflict_resolution]
strategy = "requeue"         # requeue|ai_resolve|stop
ai_agent = "claude"          # agent to use for AI resolution
`;

const AUTO: Json = { type: 'string', enum: ['auto'] };
const DURATION: readonly Json[] = [
  { type: 'number', exclusiveMinimum: 0 },
  { type: 'string', pattern: '^(\\d+(\\.\\d+)?(h|ms|m|s))+$' },
];
const TOP_KEYS = ['fallback', 'completion_promise', 'completion_signal', 'auto_spawn_strategy', 'plans'];
const AGENT_KEY = /^agents\.\*\.[a-z_]+$/;

/** JSON Schema of a configuration file, kept to draft-07 because TOML editors know no newer one. */
export function configJsonSchema(): object {
  const root = tableSchema('');
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'ralph.toml', ...root };
}

/** Every key as a markdown table. */
export function configReference(): string {
  const rows = KEYS.map((key) => [
    [shownPath(key.path), ...key.aliases.map((alias) => shownPath(tableOf(key.path)) + `.${alias}`)]
      .map(code)
      .join(' or '),
    prose(typeInWords(key.type)),
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
    '[limits]\n' + linesOf('limits.'),
    '[run]\n' + linesOf('run.'),
    '[prompt]\n' + linesOf('prompt.'),
    '[landing]\n' + linesOf('landing.'),
    '# [landing.merge]\n' + linesOf('landing.merge.'),
    '# [landing.merge.regenerate]\n' + line('landing.merge.regenerate.*', null, keyPart('package-lock.json')),
    '# [keep]\n' + linesOf('keep.'),
    '# [worktree]\n' + linesOf('worktree.'),
  ].join('\n');
}

/** What a key may hold, in words. */
export function typeInWords(type: KeyType): string {
  switch (type.kind) {
    case 'text':
    case 'variable':
    case 'landing-template':
      return 'text';
    case 'pattern':
      return 'regular expression';
    case 'shell-line':
      return 'shell command';
    case 'auto-count':
      return `"auto", or whole number, ${type.min} to ${type.max}`;
    case 'auto-duration':
      return `"auto", or ${typeInWords({ kind: 'duration' })}`;
    case 'people':
      return 'list of NAME <MAIL>';
    case 'flag':
      return 'true or false';
    case 'count':
      return `whole number, ${type.min} to ${type.max}`;
    case 'amount':
      return 'number from 0 up';
    case 'duration':
      return 'time: "90s", "30m", "1h30m", or seconds';
    case 'choice':
      return type.of.map((word) => tomlText(word)).join(', ');
    case 'texts':
      return 'list of texts';
    case 'shell-lines':
      return 'list of shell commands';
    case 'argv':
      return 'list: program, arguments';
    case 'variable-names':
      return 'list of NAME or PREFIX_*';
  }
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
    for (const alias of key.aliases) properties[alias] = { ...keySchema(key), description: `Same as ${name}.` };
  }
  return { type: 'object', additionalProperties: false, properties };
}

function keySchema(key: ConfigKey): Json {
  const fallback = key.fallback === null ? {} : { default: key.fallback };
  return { description: key.about, ...typeSchema(key.type), ...fallback };
}

function typeSchema(type: KeyType): Json {
  const texts = (item: Json, more: Json = {}): Json => ({ type: 'array', items: { type: 'string', ...item }, ...more });
  switch (type.kind) {
    case 'text':
    case 'pattern':
    case 'landing-template':
    case 'shell-line':
      return { type: 'string', minLength: 1 };
    case 'auto-count':
      return { anyOf: [AUTO, typeSchema({ ...type, kind: 'count' })] };
    case 'auto-duration':
      return { anyOf: [AUTO, ...DURATION] };
    case 'people':
      return texts({ pattern: PERSON.source });
    case 'variable':
      return { type: 'string', pattern: '^[^\\r\\n]*$' };
    case 'flag':
      return { type: 'boolean' };
    case 'count':
      return { type: 'integer', minimum: type.min, maximum: type.max };
    case 'amount':
      return { type: 'number', minimum: 0 };
    case 'duration':
      return { anyOf: DURATION };
    case 'choice':
      return { type: 'string', enum: type.of };
    case 'texts':
    case 'shell-lines':
      return texts({ minLength: 1 });
    case 'argv':
      return texts({}, { minItems: 1 });
    case 'variable-names':
      return texts({ pattern: VARIABLE_NAMES.source });
  }
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

import { Ajv2020 } from 'ajv/dist/2020.js';

import { COMMANDS } from '../../../src/faces/cli/tables/table.ts';
import answers from '../../../schema/answers.schema.json' with { type: 'json' };

type Schema = Readonly<Record<string, unknown>>;

/** What is in no schema is no promise: here an answer has nothing besides. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema as Schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner && inner['type'] === 'object' ? { additionalProperties: false, ...inner } : inner;
}

let compiled: Ajv2020 | null = null;

/** Every answer in JSON that a test sees is held against the schema of its command. */
export function checkAnswer(args: readonly string[], stdout: string): void {
  const words = args[0] === '-C' ? args.slice(2) : args;
  const names = COMMANDS.map(({ name }) => name).filter((name) =>
    name.split(' ').every((part, at) => words[at] === part),
  );
  const name = names.toSorted((one, other) => other.length - one.length)[0];
  if (name === undefined || !(name in answers.$defs)) return;
  compiled ??= new Ajv2020({ strict: false, allErrors: true }).addSchema(closed(answers) as Schema, 'answers');
  const validate = compiled.getSchema(`answers#/$defs/${encodeURIComponent(name)}`);
  if (validate === undefined) throw new Error(`no schema for ralph ${name}`);
  // What is long is printed line by line.
  const printed = name.endsWith('logs') ? stdout.trim().split('\n') : [stdout];
  if (printed.every((text) => validate(JSON.parse(text)) === true)) return;
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
  throw new Error(`ralph ${args.join(' ')} answers what its schema does not say:\n${problems.join('\n')}\n${stdout}`);
}

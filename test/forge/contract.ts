import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';

/** What GitHub publishes about its interface, cut to what is used here: every request and answer is held against it. */

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly method: string;
  readonly pattern: RegExp;
  readonly path: string;
  readonly spec: Json;
}

const FILE = join(import.meta.dirname, 'github.openapi.json');
const spec = converted(JSON.parse(readFileSync(FILE, 'utf8'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
};
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'gh', components: spec.components });
const compiled = new Map<string, ValidateFunction>();

/** OpenAPI 3.0 says `nullable` where JSON Schema says that it may be null. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, discriminator: _, ...rest } = value as Readonly<Record<string, unknown>>;
  const made = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, converted(one)]));
  return nullable === true && !('properties' in value && 'nullable' in (value as { properties: Json }).properties)
    ? { anyOf: [made, { type: 'null' }] }
    : made;
}

const operations: readonly Operation[] = Object.entries(spec.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replaceAll(/\{(?:ref|basehead|branch)\}/g, '(.+)')
        .replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`,
    ),
    spec: one,
  })),
);

function find(method: string, path: string): Operation {
  const fits = operations.filter((one) => one.method === method && one.pattern.test(path));
  const [found] = fits.toSorted(
    (a, b) => b.path.replaceAll(/\{[^}]+\}/g, '').length - a.path.replaceAll(/\{[^}]+\}/g, '').length,
  );
  if (found === undefined) throw new Error(`GitHub publishes no ${method} ${path}`);
  return found;
}

function resolve(schema: unknown): Json {
  const { $ref } = schema as { readonly $ref?: string };
  if ($ref === undefined) return schema as Json;
  const found = $ref
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Json)[key], spec);
  return resolve(found);
}

function schemaOf(body: unknown): Json | null {
  const content = (resolve(body)['content'] ?? {}) as Readonly<Record<string, { readonly schema?: Json }>>;
  return content['application/json']?.schema ?? null;
}

function assertFits(what: string, schema: Json, value: unknown): void {
  const known = compiled.get(what);
  const validate =
    known ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"gh#/components/')) as Json);
  compiled.set(what, validate);
  if (validate(value) === true) return;
  const errors = (validate.errors ?? []).slice(0, 6).map((one) => `${one.instancePath} ${one.message ?? ''}`);
  throw new Error(
    `${what} is not as GitHub publishes it: ${errors.join('; ')}\n${JSON.stringify(value).slice(0, 500)}`,
  );
}

export function checkRequest(method: string, path: string, body: unknown): void {
  const { spec: one, path: template } = find(method, path);
  const schema = one['requestBody'] === undefined ? null : schemaOf(one['requestBody']);
  if (schema !== null) assertFits(`${method} ${template}`, schema, body ?? {});
}

/** What stands behind the question mark is published too, and so is what it may be. */
export function checkQuery(method: string, path: string, query: URLSearchParams): void {
  const { spec: one, path: template } = find(method, path);
  const known = ((one['parameters'] ?? []) as readonly Json[])
    .map(resolve)
    .filter((parameter) => parameter['in'] === 'query');
  for (const [name, value] of query) {
    const parameter = known.find((each) => each['name'] === name);
    if (parameter === undefined) throw new Error(`GitHub publishes no ?${name} of ${method} ${template}`);
    const { enum: words, type } = resolve(parameter['schema']) as { enum?: readonly string[]; type?: string };
    const fits = words === undefined ? type !== 'integer' || /^\d+$/.test(value) : words.includes(value);
    if (!fits) throw new Error(`${method} ${template}?${name}=${value} is not as GitHub publishes it`);
  }
}

/** The answer with everything that GitHub always sends, and `mine` in its place. */
export function answerFor(method: string, path: string, status: number, mine: unknown): unknown {
  const { spec: one, path: template } = find(method, path);
  const responses = one['responses'] as Readonly<Record<string, unknown>>;
  if (responses[String(status)] === undefined)
    throw new Error(
      `GitHub publishes no answer ${status} to ${method} ${template}: ${Object.keys(responses).join(', ')}`,
    );
  const schema = schemaOf(responses[String(status)]);
  if (schema === null) return mine;
  const full = filled(schema, mine, 0);
  assertFits(`${method} ${template} ${status}`, schema, full);
  return full;
}

const DEPTH_MAX = 9;

/** A value of the schema: what is required and not given is made up. */
function filled(raw: unknown, mine: unknown, depth: number): unknown {
  const schema = resolve(raw);
  const {
    type,
    properties = {},
    required = [],
    items,
    enum: words,
    anyOf,
    oneOf,
    allOf,
    format,
  } = schema as {
    readonly type?: string;
    readonly properties?: Json;
    readonly required?: readonly string[];
    readonly items?: Json;
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly Json[];
    readonly oneOf?: readonly Json[];
    readonly allOf?: readonly Json[];
    readonly format?: string;
  };
  if (depth > DEPTH_MAX) return mine ?? null;
  const some = anyOf ?? oneOf;
  if (some !== undefined) {
    const isNullable = some.some((one) => one['type'] === 'null');
    if (isNullable && mine == null) return null;
    return filled(
      some.find((one) => one['type'] !== 'null'),
      mine,
      depth,
    );
  }
  if (allOf !== undefined) return allOf.reduce((made: unknown, one) => filled(one, made, depth), mine);
  if (Array.isArray(mine)) return mine.map((one) => filled(items ?? {}, one, depth + 1));
  if (type === 'object' || Object.keys(properties).length > 0) {
    const given = (mine ?? {}) as Json;
    const names = new Set([...required, ...Object.keys(given)]);
    return Object.fromEntries([...names].map((name) => [name, filled(properties[name] ?? {}, given[name], depth + 1)]));
  }
  if (mine !== undefined) return mine;
  if (words !== undefined) return words[0];
  if (type === 'array') return [];
  if (type === 'string')
    return format === 'date-time' ? '2026-01-01T00:00:00Z' : format === 'uri' ? 'https://github.test/' : 'x';
  return type === 'integer' || type === 'number' ? 0 : type === 'boolean' ? false : null;
}

import { ObjectFlags, SymbolFlags, TypeFlags } from 'typescript/unstable/sync';
import { inRoot } from '../root.mjs';

/** schema/answers.schema.json: what every command prints with `--json`, from the type its handler says its data has. */
export async function answersSchema({ COMMANDS }) {
  const { API } = await import('typescript/unstable/sync');
  const api = new API({ cwd: inRoot() });
  try {
    const project = api.updateSnapshot({ openProject: inRoot('tsconfig.json') }).getProject(inRoot('tsconfig.json'));
    const reader = openReader(project.checker);
    const answers = {};
    for (const command of COMMANDS) {
      const path = handlerOf(command);
      if (path === null) continue;
      const data = dataOf(project, path).map((type) => withVersion(reader.objectOf(type)));
      if (data.length > 0) answers[command.name] = data.length === 1 ? data[0] : { anyOf: data };
    }
    return asLines({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'What ralph prints with --json',
      description:
        'Each member of $defs that is named like a command is the shape of its answer; the others are parts of those.',
      $defs: { ...answers, ...reader.parts() },
    });
  } finally {
    api.close();
  }
}

/** One line for each definition: a package pays for every byte. */
function asLines({ $defs, ...rest }) {
  const lines = Object.entries($defs).map(([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
  const head = Object.entries(rest).map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)},\n`);
  return `{\n${head.join('')}  "$defs": {\n${lines.join(',\n')}\n  }\n}\n`;
}

/** The file of a command that has `--json`; null: it has none. */
function handlerOf({ flags, load }) {
  if (!flags.some(({ flag }) => flag === '--json')) return null;
  const [, name] = /import\("\.\.\/commands\/([\w-]+)\.ts"\)/.exec(String(load)) ?? [];
  return name === undefined ? null : `src/faces/cli/commands/${name}.ts`;
}

const withVersion = ({ type, properties, required, ...rest }) => ({
  type,
  properties: { version: { const: 1 }, ...properties },
  required: [...new Set(['version', ...required])],
  ...rest,
});

/** The types of what a handler answers as data. */
function dataOf({ checker, program }, path) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(inRoot(path)));
  const handle = checker.getExportsOfModule(module).find(({ name }) => name === 'handle');
  const [signature] = checker.getSignaturesOfType(checker.getTypeOfSymbol(handle), 0);
  const [answered] = checker.getTypeArguments(checker.getReturnTypeOfSignature(signature));
  return membersOf(answered).flatMap((answer) => {
    const data =
      (answer.flags & (TypeFlags.Number | TypeFlags.NumberLiteral)) === 0 && checker.getPropertyOfType(answer, 'data');
    if (!data) return [];
    return membersOf(checker.getTypeOfSymbol(data)).filter(({ flags }) => (flags & TypeFlags.Null) === 0);
  });
}

const membersOf = (type) => ((type.flags & TypeFlags.Union) === 0 ? [type] : type.getTypes());

/** Types as JSON Schema; one that has a name becomes a part of its own. */
function openReader(checker) {
  const parts = new Map();
  const nameOf = new Map();

  function schemaOf(type) {
    const { flags } = type;
    if ((flags & TypeFlags.Union) !== 0) return unionOf(type.getTypes());
    if ((flags & (TypeFlags.StringLiteral | TypeFlags.NumberLiteral)) !== 0) return { const: type.value };
    if ((flags & TypeFlags.BooleanLiteral) !== 0) return { const: checker.typeToString(type) === 'true' };
    if ((flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) !== 0) return { type: 'string' };
    if ((flags & TypeFlags.Number) !== 0) return { type: 'number' };
    if ((flags & TypeFlags.Boolean) !== 0) return { type: 'boolean' };
    if ((flags & TypeFlags.Null) !== 0) return { type: 'null' };
    if ((flags & TypeFlags.AnyOrUnknown) !== 0) return {};
    // Ids are texts with a brand.
    const base =
      (flags & TypeFlags.Intersection) !== 0 &&
      type.getTypes().find((one) => (one.flags & (TypeFlags.String | TypeFlags.Number)) !== 0);
    if (base) return schemaOf(base);
    if (checker.isArrayLikeType(type)) {
      const items = checker.getTypeArguments(type);
      return { type: 'array', items: items.length === 1 ? schemaOf(items[0]) : unionOf(items) };
    }
    return named(type);
  }

  function unionOf(types) {
    const known = types.filter(({ flags }) => (flags & TypeFlags.Undefined) === 0).map(schemaOf);
    const texts = known.flatMap((one) => (typeof one.const === 'string' ? [one.const] : []));
    const isBoolean = [true, false].every((value) => known.some((one) => one.const === value));
    const plain = known.filter(
      (one) => typeof one.const !== 'string' && !(isBoolean && typeof one.const === 'boolean'),
    );
    const all = [
      ...(texts.length > 0 ? [{ enum: texts.sort() }] : []),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...plain,
    ];
    const once = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    return once.length === 1 ? once[0] : { anyOf: once };
  }

  function named(type) {
    const name = type.getSymbol()?.name ?? '__type';
    const isGeneric = (type.objectFlags & ObjectFlags.Reference) !== 0;
    if (name.startsWith('__') || isGeneric) return objectOf(type);
    const taken = [...nameOf.values()];
    if (!nameOf.has(type.id)) {
      let free = name;
      for (let n = 2; taken.includes(free); n += 1) free = `${name}${n}`;
      nameOf.set(type.id, free);
      parts.set(free, objectOf(type));
    }
    return { $ref: `#/$defs/${nameOf.get(type.id)}` };
  }

  function objectOf(type) {
    const members = checker.getPropertiesOfType(type);
    const properties = Object.fromEntries(
      members.map((member) => {
        const description = checker.getDocumentationCommentOfSymbol(member);
        const schema = schemaOf(checker.getTypeOfSymbol(member));
        return [member.name, description === '' ? schema : { ...schema, description }];
      }),
    );
    const [index] = checker.getIndexInfosOfType(type);
    const isGiven = ({ flags }) => (flags & SymbolFlags.Optional) === 0;
    return {
      type: 'object',
      properties,
      required: members.filter(isGiven).map(({ name }) => name),
      ...(index === undefined ? {} : { additionalProperties: schemaOf(index.valueType) }),
    };
  }

  return { objectOf, parts: () => Object.fromEntries([...parts].sort(([one], [other]) => (one < other ? -1 : 1))) };
}

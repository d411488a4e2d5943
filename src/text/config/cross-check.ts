import { keyPart, lastPart } from './dotted.ts';
import type { ConfigProblem, Layer, LayerValue } from './layer.ts';
import { nearest } from './nearest.ts';
import { quoted } from './quoted.ts';

/** What is right by itself and wrong beside the rest: things in use that nobody counts, and users that are no gates. */
export function crossCheck(weakestFirst: readonly Layer[]): readonly ConfigProblem[] {
  const counted = countedNames(weakestFirst);
  const commands = allCommands(weakestFirst);
  const uses = new Map(weakestFirst.flatMap((layer) => [...layer.values]).filter(([dotted]) => isIn(dotted, 'uses')));
  return [...uses].flatMap(([dotted, found]) => {
    const name = lastPart(dotted);
    return [
      ...(counted.has(name) ? [] : [uncounted(name, found, counted)]),
      ...(commands === null ? [] : strangers(dotted, found, commands)),
    ];
  });
}

function uncounted(name: string, { source, line, column }: LayerValue, counted: ReadonlySet<string>): ConfigProblem {
  const meant = nearest(name, counted);
  const remedy = meant === null ? `add \`${keyPart(name)} = 1\` to it` : `did you mean \`${meant}\`?`;
  const message = `\`gates.uses.${keyPart(name)}\`: [gates.resources] does not say how many there are; ${remedy}`;
  return { file: source, line, column, message };
}

function strangers(dotted: string, found: LayerValue, commands: ReadonlySet<string>): ConfigProblem[] {
  return (found.value as readonly string[]).flatMap((command, at) => {
    if (commands.has(command.trim())) return [];
    const { line, column } = found.items?.[at] ?? found;
    const message = `\`${dotted}\`: ${quoted(command)} is not one of gates.commands${remedyFor(command, commands)}`;
    return [{ file: found.source, line, column, message }];
  });
}

function remedyFor(command: string, commands: ReadonlySet<string>): string {
  if (commands.size === 0) return ', which is empty';
  const meant = nearest(command, commands);
  if (meant !== null) return `; did you mean ${quoted(meant)}?`;
  return `; there are ${[...commands].map((each) => quoted(each)).join(', ')}`;
}

/** Of every layer: a flag that runs fewer gates for once does not make a file wrong. null: one could not be read. */
function allCommands(layers: readonly Layer[]): ReadonlySet<string> | null {
  if (layers.some(({ refused }) => refused?.has('gates.commands') === true)) return null;
  return new Set(
    layers
      .flatMap(({ values }) => (values.get('gates.commands')?.value ?? []) as readonly string[])
      .map((command) => command.trim()),
  );
}

/** Also those with a count that cannot stay: one problem is enough for them. */
function countedNames(layers: readonly Layer[]): ReadonlySet<string> {
  const dotted = layers.flatMap(({ values, refused }) => [...values.keys(), ...(refused ?? [])]);
  return new Set(dotted.filter((each) => isIn(each, 'resources')).map(lastPart));
}

function isIn(dotted: string, table: 'resources' | 'uses'): boolean {
  return dotted.startsWith(`gates.${table}.`);
}

import { code, page, table } from './markdown.mjs';

const UNION = /export type Event =\n([\s\S]*?);\n\n/;
const MEMBER =
  /\/\*\* ((?:(?!\*\/)[\s\S])*?) \*\/\s*\|\s*\{\s*readonly type: '([a-z-]+)';?([\s\S]*?)\n? *\}(?=\s*(?:\/\*\*|\||$))/g;
const FIELD = /readonly (\w+): ([^;]+);?/g;

/** The members of the event union with their doc comments, in order. */
export function readEvents(source) {
  const union = UNION.exec(source)?.[1];
  if (union == null) throw new Error('src/core/events.ts has no `export type Event` union');
  return [...union.matchAll(MEMBER)].map(([, means, type, body]) => ({
    type,
    means: means.replaceAll(/\s*\n\s*\*?\s*/g, ' '),
    fields: [...body.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').matchAll(FIELD)].map(([, name, of]) => ({
      name,
      of: of.trim().replace(/^readonly /, ''),
    })),
  }));
}

/** docs/reference/events.md: what the log holds and `ralph run --events` prints. */
export function eventsPage(source) {
  const declared = [...source.matchAll(/readonly type: '/g)].length;
  const events = readEvents(source);
  if (events.length !== declared) {
    throw new Error(
      `events.md: ${declared} events declared, ${events.length} documented; each needs a doc comment above it`,
    );
  }
  const rows = events.map(({ type, means, fields }) => [
    code(type),
    means,
    fields.map(({ name, of }) => `${code(name)}: ${of}`).join('<br>'),
  ]);
  return page({
    title: 'Events',
    source: 'src/core/events.ts',
    intro:
      'Every fact is one event in the log. `ralph run --events` prints them on standard output, one JSON object a line. ' +
      'New events and new fields may come; what is here keeps its meaning.',
    blocks: [table(['event', 'means', 'fields'], rows)],
  });
}

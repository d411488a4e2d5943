import { code, page, table } from './markdown.mjs';

const MEMBER =
  /(?:\/\*\* ((?:(?!\*\/)[\s\S])*?) \*\/\s*)?\|\s*\{\s*readonly type: '([a-z-]+)';?([\s\S]*?)\n? *\}(?=\s*(?:\/\*\*|\||$))/g;
const FIELD = /readonly (\w+\??): ([^;]+);?/g;
const COMMENT = /\/\*\*[\s\S]*?\*\//g;

/** The members of a closed union with their doc comments, in order. */
function readUnion(source, name) {
  const union = new RegExp(`export type ${name} =\n([\\s\\S]*?);\n\n`).exec(source)?.[1];
  if (union == null) throw new Error(`there is no union \`export type ${name}\``);
  const members = [...union.matchAll(MEMBER)].map(([, means, type, body]) => ({
    type,
    means: means?.replaceAll(/\s*\n\s*\*?\s*/g, ' ') ?? null,
    fields: [...body.replaceAll(COMMENT, '').matchAll(FIELD)].map(([, field, of]) => ({
      field,
      of: of.trim().replace(/^readonly /, ''),
    })),
  }));
  const declared = [...union.matchAll(/readonly type: '/g)].length;
  if (members.length !== declared) throw new Error(`${name}: ${declared} members, but ${members.length} could be read`);
  return members;
}

const fieldsOf = ({ fields }) => fields.map(({ field, of }) => `${code(field)}: ${of}`).join('<br>');

/** docs/reference/events.md: what the log holds and `ralph run --events` prints. */
export function eventsPage([eventsSource, pullsSource], newsSource) {
  const events = [...readUnion(eventsSource, 'Event'), ...readUnion(pullsSource, 'PullEvent')];
  const silent = events.filter(({ means }) => means == null).map(({ type }) => type);
  if (silent.length > 0) throw new Error(`events without a doc comment: ${silent.join(', ')}`);
  const news = newsSource == null ? [] : readUnion(newsSource, 'News');
  return page({
    title: 'Events',
    source: 'src/core/model/events.ts',
    intro:
      'Every fact is one event in the log. `ralph run --events` prints them on standard output, one JSON object a line, each with ' +
      '`seq` (the number of its record), `at` (milliseconds since 1970), `by` (who wrote it) and `type`. ' +
      'New events and new fields may come; what is here keeps its meaning.',
    blocks: [
      '## Facts in the log',
      table(
        ['event', 'means', 'fields'],
        events.map((event) => [code(event.type), event.means, fieldsOf(event)]),
      ),
      ...(news.length === 0
        ? []
        : [
            '## What became of a loop',
            'Printed after the fact that brought it about; not in the log, because it follows from it. Source: [`src/core/views/news.ts`](../../src/core/views/news.ts)',
            table(
              ['event', 'fields'],
              news.map((each) => [code(each.type), fieldsOf(each)]),
            ),
          ]),
    ],
  });
}

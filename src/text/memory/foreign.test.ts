import { expect, it } from 'vitest';
import { readForeignMemories } from './foreign.ts';

const PAGE = `# Memories

Persistent learnings.

## Patterns

### mem-1737372000-a1b2
> All API handlers return
> a Result
>
> always
<!-- tags: error-handling, api | created: 2025-01-20 -->

### mem-1737372000000-beef
> no comment here

## Decisions

- chose sqlite
  for the tests
- chose \`$(touch x)\` \u001b[31mred
A paragraph of somebody.

## constructor

### Not a name of ours
the build needs TZ=UTC
<!-- created: never -->
`;

it('a page of another tool is read: entries, bullets and paragraphs', () => {
  expect(readForeignMemories(PAGE.replaceAll('\n', '\r\n'))).toEqual(readForeignMemories(PAGE));
  expect(readForeignMemories(PAGE)).toEqual([
    {
      id: 'mem-1737372000-a1b2',
      at: Date.parse('2025-01-20'),
      text: 'All API handlers return\na Result\n\nalways',
      tags: ['pattern', 'error-handling', 'api'],
    },
    { id: 'mem-1737372000000-beef', at: 1_737_372_000_000, text: 'no comment here', tags: ['pattern'] },
    { id: null, at: null, text: 'chose sqlite\nfor the tests', tags: ['decision'] },
    { id: null, at: null, text: 'chose `$(touch x)` [31mred\nA paragraph of somebody.', tags: ['decision'] },
    { id: null, at: null, text: 'Not a name of ours\nthe build needs TZ=UTC', tags: [] },
  ]);
});

it.each(['', '# Memories\n\n## Patterns\n\n## Fixes\n', '<!-- nothing -->', '### mem-1737372000-a1b2\n\n'])(
  'nothing is read from %j',
  (page) => expect(readForeignMemories(page)).toEqual([]),
);

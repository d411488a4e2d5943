import { raw, span } from './line.ts';
import type { Line } from './line.ts';
import type { RunFacts } from './model.ts';
import { headLine } from './run-screen.ts';
import { trainLine } from './train-rows.ts';

/** What stays below the lines of a run: what it comes to, the train, and what needs a person. */
export function pinnedLines(facts: RunFacts, nowMs: number, columns: number): readonly Line[] {
  const [first, ...more] = facts.inbox;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const needs: Line =
    first === undefined
      ? [raw(' '), span('nothing needs you now', 'dim')]
      : [
          raw(' '),
          raw('needs you: ', 'yellow'),
          span(`${first.task ?? first.kind} (${first.reason})${others}: ${first.next}`),
        ];
  return [
    headLine({ facts, nowMs }, { columns, rows: 3 }),
    [raw(' '), ...trainLine(facts)],
    [...needs, raw('   '), span('v opens the view', 'dim')],
  ];
}

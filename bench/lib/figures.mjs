import { cpus } from 'node:os';

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

export const ms = (value) => (value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`);

/** PASS or over, never an exit code: a busy machine is not a bug. */
export const judge = (value, bound) => (value <= bound ? 'PASS' : 'over');

/** Prints rows of strings in columns under a title. */
export function printTable(title, head, rows) {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  console.log(`\n${title}  (Node ${process.versions.node}, ${cpus().length} cores)`);
  for (const row of all)
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd()}`,
    );
}

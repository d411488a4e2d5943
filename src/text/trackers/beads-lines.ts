import type { Problem } from '../../core/model/task.ts';
import type { Bead } from './beads-answer.ts';
import { readAnswer } from './beads-answer.ts';
import { beadTasks } from './beads-tasks.ts';
import { quote } from './clean.ts';
import type { ParsedTasks } from './draft.ts';

/** An old store of Beads, or an export: one issue of JSON on each line. What was deleted is no task. */
export function parseBeadsLines(text: string): ParsedTasks {
  const problems: Problem[] = [];
  const beads: Bead[] = [];
  const lineOf = new Map<string, number>();
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const answer = readAnswer(line);
    const [bead] = answer.beads;
    const place = { line: at + 1, column: 1 };
    if (bead === undefined) {
      // Memories and the like are told beside issues.
      if (!answer.isJson || answer.error !== null) problems.push({ ...place, message: 'no issue of Beads in JSON' });
      continue;
    }
    const first = lineOf.get(bead.id);
    if (first === undefined) beads.push(bead);
    else problems.push({ ...place, message: `duplicate id ${quote(bead.id)}: it is already used on line ${first}` });
    lineOf.set(bead.id, lineOf.get(bead.id) ?? at + 1);
  }
  const tasks = beadTasks(beads, { ready: null, living: new Set(), nowMs: 0 });
  return { tasks: tasks.map((task) => ({ ...task, line: lineOf.get(task.id) ?? task.line })), problems };
}

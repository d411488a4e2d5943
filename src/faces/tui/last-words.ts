import { join } from 'node:path';
import type { LoopId } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { cleanLine, shortLine } from '../../text/screen/clean.ts';
import { readAgentFile } from '../../world/agents/run/agent-file.ts';
import { followFile } from '../../world/agents/transcript.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { runFolder } from '../../world/git/run/state-places.ts';
import { openPrinting } from '../verbs/print-transcript.ts';
import type { Printing } from '../verbs/print-transcript.ts';
import type { Words } from './model.ts';

/** Of what was said before somebody looked, only the end is read. */
const END_BYTES = 16 * 1024;
const WORDS_CHARS_MAX = 300;

interface Ear {
  readonly folder: string;
  readonly from: ReturnType<typeof followFile>;
  printing: Printing | null;
  /** What was said since the last line break. */
  begun: string;
}

/** What each agent said last, read from what it prints; nothing of it is kept but one line. */
export function openLastWords(repo: Repository, nowMs: () => number) {
  const ears = new Map<LoopId, Ear>();
  const words = new Map<LoopId, Words>();

  const earOf = (loop: Loop, n: number): Ear => {
    const folder = runFolder(repo, loop.id, n);
    const known = ears.get(loop.id);
    if (known?.folder === folder) return known;
    const ear = openEar(folder);
    ears.set(loop.id, ear);
    return ear;
  };

  /** Listens to these loops; true: one of them has said something new. */
  const listen = (loops: readonly Loop[]): boolean => {
    let isNew = false;
    for (const loop of loops) {
      const n = loop.phase.at === 'iterating' ? loop.phase.n : loop.iteration;
      if (n < 1) continue;
      const said = lastLine(earOf(loop, n));
      if (said === null || said === words.get(loop.id)?.text) continue;
      words.set(loop.id, { text: said, at: nowMs() });
      isNew = true;
    }
    const alive = new Set(loops.map(({ id }) => id));
    for (const id of [...ears.keys()].filter((one) => !alive.has(one))) ears.delete(id);
    return isNew;
  };

  return { listen, words: words as ReadonlyMap<LoopId, Words> };
}

const openEar = (folder: string): Ear => ({
  folder,
  from: followFile(join(folder, 'stdout.log'), END_BYTES),
  printing: null,
  begun: '',
});

/** The last line that says something; null: nothing new. */
function lastLine(ear: Ear): string | null {
  let found: string | null = null;
  for (let bytes = ear.from.next(); bytes !== null; bytes = ear.from.next()) {
    // Before the agent has begun nobody knows how it speaks.
    ear.printing ??= openPrinting('rendered', readAgentFile(ear.folder).protocol, { iteration: 0 });
    const text = ear.begun + String(ear.printing.push(bytes));
    const lines = text.split('\n');
    ear.begun = (lines.at(-1) ?? '').slice(-WORDS_CHARS_MAX);
    found = lines.findLast((line) => cleanLine(line) !== '') ?? found;
  }
  return found === null ? null : shortLine(found, WORDS_CHARS_MAX);
}

import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { Event } from '../../core/events.ts';
import type { LoopId, Sha } from '../../core/ids.ts';
import type { RecordedBytes, RecordedIteration, RecordedVerb } from '../../text/record/record.ts';
import type { Repository } from '../git/repository.ts';
import type { GitView } from '../git/view.ts';
import { readLogOnly } from '../log/file-log.ts';
import { readIfThere } from '../processes/read-if-there.ts';
import { logFolder } from '../state-places.ts';
import { startedIterations } from '../transcript.ts';

type Ended = Extract<Event, { type: 'iteration-ended' }>;

/** What the log tells of one iteration. */
interface Told {
  ended: Ended | null;
  /** Where its branch was when it began. */
  from: Sha | null;
  readonly verbs: RecordedVerb[];
}

/** Every iteration of a loop that was started, from its run folders, the log and its commits. */
export async function recordedIterations(
  repo: Repository,
  view: GitView,
  loop: LoopId,
): Promise<readonly RecordedIteration[]> {
  const told = await readTold(repo, loop);
  const found: RecordedIteration[] = [];
  for (const { n, folder } of startedIterations(repo, loop)) {
    const { ended, from, verbs } = told.get(n) ?? { ended: null, from: null, verbs: [] };
    const bytes = (name: string): RecordedBytes => recordedBytes(readIfThere(join(folder, name)) ?? Buffer.alloc(0));
    found.push({
      n,
      prompt: bytes('prompt.md'),
      stdout: bytes('stdout.log'),
      stderr: bytes('stderr.log'),
      exit: ended?.exit ?? null,
      durationMs: ended?.durationMs ?? null,
      patch: ended === null || from === null ? null : await patchBetween(view, from, ended.head),
      verbs,
      usage: ended?.usage ?? null,
      outcome: ended?.outcome ?? null,
    });
  }
  return found;
}

async function readTold(repo: Repository, loop: LoopId): Promise<ReadonlyMap<number, Told>> {
  const told = new Map<number, Told>();
  const at = (n: number): Told => {
    const known = told.get(n) ?? { ended: null, from: null, verbs: [] };
    told.set(n, known);
    return known;
  };
  let head: Sha | null = null;
  const records = await readLogOnly<Event>(logFolder(repo)).read(0);
  for (const event of records.flatMap((record) => record.events)) {
    if (!('loop' in event) || event.loop !== loop) continue;
    if (event.type === 'iteration-ended') Object.assign(at(event.n), { ended: event, from: head });
    else if (event.type === 'loop-progressed') at(event.n).verbs.push(['progress', event.text]);
    else if (event.type === 'loop-blocked') at(event.n).verbs.push(['block', event.why]);
    else if (event.type === 'loop-done') at(event.n).verbs.push(['done', event.summary]);
    // Its worktree was made, or main was brought into it: an iteration begins where the branch was left before it.
    if ('head' in event) head = event.head;
  }
  return told;
}

const PATCH = ['diff-tree', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'];

/** Null: a commit of it is not there any more. */
async function patchBetween(view: GitView, from: Sha, to: Sha): Promise<RecordedBytes | null> {
  const { code, stdout } = await view.bytes([...PATCH, from, to, '--'], { ok: [0, 128] });
  return code === 0 ? recordedBytes(stdout) : null;
}

const recordedBytes = (bytes: Buffer): RecordedBytes =>
  isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') };

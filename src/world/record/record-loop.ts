import { AppError } from '../../core/errors.ts';
import type { LoopId } from '../../core/ids.ts';
import type { Loop, State } from '../../core/model.ts';
import type { Driver } from '../../core/settings.ts';
import { findTask } from '../../core/tasks.ts';
import { RECORD_VERSION } from '../../text/record/record.ts';
import type { RecordHeader } from '../../text/record/record.ts';
import type { Repository } from '../git/repository.ts';
import type { GitView } from '../git/view.ts';
import { startedIterations } from '../transcript.ts';
import { writeRecord } from './record-file.ts';
import { recordedIterations } from './recorded-iterations.ts';

export interface RecordOrder {
  readonly repo: Repository;
  readonly view: GitView;
  readonly state: State;
  readonly loop: LoopId;
  readonly file: string;
  /** What the agent says when it is done. */
  readonly promise: string;
}

export interface Recorded {
  readonly file: string;
  readonly iterations: number;
  /** Another record was there before. */
  readonly replaced: boolean;
}

/** Writes down what a loop did, as far as it came: enough to do it again without an agent. */
export async function recordLoop({ repo, view, state, loop: id, file, promise }: RecordOrder): Promise<Recorded> {
  const loop = state.loops[id];
  if (loop == null) throw new AppError('E_UNKNOWN_ID', `no loop is called ${id}`, { remedy: 'ralph loops list --all' });
  const iterations = await recordedIterations(repo, view, id);
  const { replaced } = await writeRecord(file, { header: headerOf(repo, state, loop, promise), iterations });
  return { file, iterations: iterations.length, replaced };
}

function headerOf(repo: Repository, state: State, loop: Loop, promise: string): RecordHeader {
  const task = findTask(state, loop.task);
  return {
    record: RECORD_VERSION,
    loop: loop.id,
    title: loop.title,
    prompt: task === null || task.body === '' ? loop.title : task.body,
    agent: loop.agent,
    driver: driverOf(repo, loop.id),
    promise,
    base: loop.base,
  };
}

/** Where agents took turns, the one that reads any of them. */
function driverOf(repo: Repository, loop: LoopId): Driver {
  const drivers = new Set(startedIterations(repo, loop).map(({ agent }) => agent.driver));
  const [driver = 'text'] = drivers;
  return drivers.size > 1 ? 'jsonl' : driver;
}

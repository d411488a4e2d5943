import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { recordsAfter } from './log-records.mjs';

const SEGMENT_RECORDS = 256;
const NO_LIMIT = 1e9;
const padded = (seq) => String(seq).padStart(12, '0');

/** What an event says, as if it had happened to other loops, tasks and hosts. */
function renamed(value, rename) {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((one) => renamed(one, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [rename(key), renamed(one, rename)]));
}

/** One more iteration, before the one that was the last: it made something, but was not done. */
function earlier(event, n) {
  const head = createHash('sha1').update(`${event.loop} ${n}`).digest('hex');
  return { ...event, n, outcome: 'worked', said: 'not done yet', head, tree: head, durationMs: 0 };
}

/** The history once more with names of its own, and so many iterations in front of each loop's last. Seqs are still the old ones. */
function* retold(history, rename, extra) {
  for (const record of history) {
    const events = record.events.map((event) => renamed(event, rename));
    for (const event of events) {
      if (event.type !== 'iteration-ended') continue;
      for (let n = 1; n <= extra; n += 1) yield { ...record, seq: null, events: [earlier(event, n)] };
    }
    const later = events.map((event) => {
      if (event.type === 'host-joined') {
        const limits = { ...event.policy.limits, iterations: NO_LIMIT, noProgress: NO_LIMIT, runtimeMs: NO_LIMIT };
        return { ...event, policy: { ...event.policy, limits } };
      }
      return typeof event.n === 'number' ? { ...event, n: event.n + extra } : event;
    });
    yield { ...record, events: later };
  }
}

/** Names of loops, hosts and tasks in a history, the longest first. */
function namesIn(history) {
  const events = history.flatMap((record) => record.events);
  const tasks = events.flatMap(({ task }) => (task == null ? [] : [task.slice(task.indexOf('#') + 1)]));
  const names = new Set([...events.flatMap(({ loop, host }) => [loop, host]).filter(Boolean), ...tasks]);
  return { names: [...names].toSorted((a, b) => b.length - a.length), tasks: new Set(tasks).size };
}

/** Makes the log of a repository as long as wanted: its own history again and again, until it tells of so many tasks. No snapshot is left. */
export function lengthenLog(repository, { records, tasks }) {
  const history = recordsAfter(repository, 0);
  const known = namesIn(history);
  const pattern = new RegExp(known.names.join('|'), 'g');
  const copies = Math.ceil(tasks / known.tasks);
  const extra = Math.max(0, Math.ceil((records - copies * history.length) / (copies * known.tasks)));
  const lines = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const seqs = new Map();
    const rename = (text) => (copy === 0 ? text : text.replace(pattern, (id) => `${id}-${copy}`));
    for (const record of retold(history, rename, extra)) {
      const seq = lines.length + 1;
      if (seq > records) break;
      if (record.seq !== null) seqs.set(record.seq, seq);
      const events = record.events.map((event) =>
        event.fence === undefined ? event : { ...event, fence: seqs.get(event.fence) ?? event.fence },
      );
      const json = JSON.stringify({ ...record, seq, id: `bench-${seq}`, events });
      lines.push(`${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    }
  }
  writeSegments(join(repository, '.git', 'paralph', 'log'), lines);
  return lines.length;
}

function writeSegments(folder, lines) {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'packed'));
  for (let from = 1; from <= lines.length; from += SEGMENT_RECORDS) {
    const to = Math.min(lines.length, from + SEGMENT_RECORDS - 1);
    const name = `segment-${padded(from)}-${padded(to)}.jsonl`;
    writeFileSync(join(folder, 'packed', name), lines.slice(from - 1, to).join(''));
  }
}

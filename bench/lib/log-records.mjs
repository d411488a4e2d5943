import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const CRC_AND_SPACE = 9;

/** The records of a repository's log behind a sequence number, in order. */
export function recordsAfter(repository, seq) {
  const folder = join(repository, '.git', 'paralph', 'log');
  const packed = join(folder, 'packed');
  const named = (place, pattern) =>
    existsSync(place)
      ? readdirSync(place)
          .filter((name) => pattern.test(name))
          .map((name) => join(place, name))
      : [];
  const files = [...named(packed, /^segment-.*\.jsonl$/), ...named(folder, /^\d{12}$/)];
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const records = new Map(lines.map((line) => JSON.parse(line.slice(CRC_AND_SPACE))).map((each) => [each.seq, each]));
  return [...records.values()].filter((record) => record.seq > seq).toSorted((a, b) => a.seq - b.seq);
}

import { basename, dirname, join } from 'node:path';
import { isBeadsLines } from '../../text/trackers/tracker-names.ts';
import { namesIfThere } from '../os/read-if-there.ts';

/** `FOLDER/*.jsonl`: an old store of Beads that has more than one file, and is one list all the same. */
export const isOldBeads = (path: string): boolean => basename(path) === '*.jsonl';

/** Its files, in the order of their names. */
export const filesOfOldBeads = (path: string): readonly string[] =>
  namesIfThere(dirname(path))
    .filter((name) => isBeadsLines(name))
    .toSorted()
    .map((name) => join(dirname(path), name));

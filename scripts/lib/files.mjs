import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder, as full paths. */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** When a file, or anything in a folder and the folder itself, last changed. */
export function newestMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat == null) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

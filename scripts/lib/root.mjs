import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the repository, whatever folder a script is called from. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const inRoot = (...parts) => join(ROOT, ...parts);

/** Is this module the one that was called, rather than imported by another script? */
export function isCalled(moduleUrl) {
  const called = process.argv[1];
  return called != null && realpathSync(called) === fileURLToPath(moduleUrl);
}

import { join } from 'node:path';
import { type Ecosystem, ecosystemsOf } from '../../text/feature/ecosystems.ts';
import { uninstalledPython } from '../../text/feature/uninstalled-python.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { readTail } from '../os/tail.ts';
import type { Setup } from './run-setup.ts';

const MANIFEST_BYTES_MAX = 1024 * 1024;

/** What a folder is made with, by the files at its top. */
export function detectEcosystems(folder: string): readonly Ecosystem[] {
  const names = namesIfThere(folder);
  return ecosystemsOf(names, names.includes('package.json') ? packageManagerIn(join(folder, 'package.json')) : null);
}

/** What nothing is installed for, though it looks as if something had to be, in a line; null: all is done, or the user says what to do. */
export function whatIsLeftOut(folder: string, setup: Setup): string | null {
  if ('lines' in setup) return null;
  try {
    return uninstalledPython(setup.ecosystems, readTail(join(folder, 'pyproject.toml'), MANIFEST_BYTES_MAX));
  } catch {
    return null;
  }
}

function packageManagerIn(file: string): string | null {
  try {
    return packageManagerOf(readTail(file, MANIFEST_BYTES_MAX));
  } catch {
    return null;
  }
}

/** What a package.json says it is installed with. */
export function packageManagerOf(text: string): string | null {
  try {
    const { packageManager } = JSON.parse(text) as { packageManager?: unknown };
    return typeof packageManager === 'string' ? packageManager : null;
  } catch {
    return null;
  }
}

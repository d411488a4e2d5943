import { join } from 'node:path';
import { type Ecosystem, ecosystemsOf } from '../../text/feature/ecosystems.ts';
import { namesIfThere } from '../processes/read-if-there.ts';
import { readTail } from '../processes/tail.ts';

const PACKAGE_BYTES_MAX = 1024 * 1024;

/** What a folder is made with, by the files at its top. */
export function detectEcosystems(folder: string): readonly Ecosystem[] {
  const names = namesIfThere(folder);
  return ecosystemsOf(names, names.includes('package.json') ? packageManagerIn(join(folder, 'package.json')) : null);
}

function packageManagerIn(file: string): string | null {
  try {
    const { packageManager } = JSON.parse(readTail(file, PACKAGE_BYTES_MAX)) as { packageManager?: unknown };
    return typeof packageManager === 'string' ? packageManager : null;
  } catch {
    return null;
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own while `act` runs. */
export async function withScratchFolder<T>(
  prefix: string,
  isKept: boolean,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  try {
    return await act(folder);
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** By path below the folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

import { existsSync, readFileSync, writeFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { tmpdir } from 'node:os';

/** The first of these names that is in the folder. */
export const firstThere = (root: string, names: readonly string[]): string | null =>
  names.find((name) => existsSync(join(root, name))) ?? null;

/** Fails where there is such a file already. */
export const writeFirst = (file: string, text: string): void => writeFileSync(file, text, { flag: 'wx' });

/** The project's own test command, where its kind is known. */
export function findGates(root: string): readonly string[] {
  const has = (name: string): boolean => existsSync(join(root, name));
  if (has('package.json')) return npmTest(join(root, 'package.json'));
  if (has('Cargo.toml')) return ['cargo test'];
  if (has('go.mod')) return ['go test ./...'];
  if (has('Makefile') && /^test:/m.test(readFileSync(join(root, 'Makefile'), 'utf8'))) return ['make test'];
  if (has('pyproject.toml') || has('pytest.ini')) return ['python3 -m pytest'];
  return [];
}

function npmTest(file: string): readonly string[] {
  try {
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, unknown> };
    return typeof scripts?.['test'] === 'string' && !scripts['test'].includes('no test specified') ? ['npm test'] : [];
  } catch {
    return [];
  }
}

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

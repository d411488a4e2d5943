import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

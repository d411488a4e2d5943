import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** Every file git tracks or would track, so that a rule is broken before the commit and not after it. */
export function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const sourceFiles = (): readonly string[] =>
  repositoryFiles().filter((path) => path.startsWith('src/') && path.endsWith('.ts'));

/** Every place a pattern is found, as `path:line: text`. */
export function findAll(paths: readonly string[], pattern: RegExp): readonly string[] {
  return paths.flatMap((path) =>
    readText(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
  );
}

import { describe, expect, it } from 'vitest';
import { ecosystemsOf } from './ecosystems.ts';
import { keptInGates, keptInLoops } from './kept-names.ts';

describe('what stays of ignored files', () => {
  const found = ecosystemsOf(['package.json', 'package-lock.json', 'requirements.txt', 'Cargo.toml', 'Cargo.lock']);

  it('is what a lock file installs where gates run, and builds too where loops work', () => {
    expect(keptInGates(found, null)).toEqual(['node_modules', '.venv']);
    expect(keptInLoops(found, null)).toEqual(['node_modules', '.venv', 'target']);
  });

  it('is nothing without a lock file where gates run', () => {
    const open = ecosystemsOf(['package.json', 'build.gradle', 'gradlew', 'pom.xml']);
    expect(keptInGates(open, null)).toEqual([]);
    expect(keptInLoops(open, null)).toEqual(['node_modules', 'build', '.gradle', 'target']);
    expect(keptInLoops(ecosystemsOf(['README.md']), null)).toEqual([]);
  });

  it('is exactly what the user named, also if that is nothing', () => {
    expect([keptInGates(found, ['build']), keptInLoops(found, ['build'])]).toEqual([['build'], ['build']]);
    expect([keptInGates(found, []), keptInLoops(found, [])]).toEqual([[], []]);
  });
});

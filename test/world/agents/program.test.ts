import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ourProgram } from '../../../src/world/agents/run/agent-place.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

describe('ourProgram', () => {
  it('is found from main.js, from a chunk and through a link', () => {
    const root = realpathSync(temporaryFolder());
    const dist = join(root, 'lib/paralph/dist');
    mkdirSync(join(dist, 'chunks'), { recursive: true });
    mkdirSync(join(root, 'bin'));
    for (const name of ['main.js', 'chunks/run-abc.js']) writeFileSync(join(dist, name), '');
    symlinkSync('../lib/paralph/dist/main.js', join(root, 'bin/ralph'));
    const found = {
      node: process.execPath,
      main: join(dist, 'main.js'),
      bin: join(dist, 'bin'),
      driver: join(dist, 'driver.js'),
    };
    expect(ourProgram([join(dist, 'main.js')])).toEqual(found);
    expect(ourProgram([join(dist, 'chunks/run-abc.js')])).toEqual(found);
    expect(ourProgram([join(root, 'none.js'), undefined, join(root, 'bin/ralph')])).toEqual(found);
    expect(() => ourProgram([join(root, 'none.js')])).toThrow('main.js');
  });
});

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { showLife, showsLife } from '../../../src/world/processes/identity.ts';
import { temporaryFolder, waitFor } from '../fixtures/process-kit.ts';

const one = { pid: 1, startTime: '10', bootId: 'boot/pid:[1]' };
const other = { pid: 1, startTime: '10', bootId: 'boot/pid:[2]' };

describe('the sign of life for other containers', () => {
  it('is not taken away by somebody who starts at the same time', async () => {
    const folder = temporaryFolder();
    const signs = join(folder, 'alive');
    const path = process.env['PATH'] ?? '';
    const go = join(folder, 'go');
    const slow = `#!/bin/sh\nPATH='${path}'; mkfifo "$@"; : >'${folder}/made'; until [ -e '${go}' ]; do sleep 0.01; done\n`;
    writeFileSync(join(folder, 'mkfifo'), slow, { mode: 0o755 });
    onTestFinished(() => {
      process.env['PATH'] = path;
      writeFileSync(go, '');
    });
    process.env['PATH'] = `${folder}:${path}`;
    const shown = showLife(signs, one);
    await waitFor('the first to have made its pipe', () => existsSync(join(folder, 'made')));
    process.env['PATH'] = path;
    await showLife(signs, other);
    writeFileSync(go, '');
    await shown;
    expect([one, other].map(showsLife)).toEqual([true, true]);
    expect(readdirSync(signs)).toHaveLength(2);
  });
});

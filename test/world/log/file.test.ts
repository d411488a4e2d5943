import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import { logContract } from './contract.ts';

logContract('file log', {
  make: async () => join(mkdtempSync(join(tmpdir(), 'log-file-')), 'log'),
  open: (address) => openFileLog(address),
  drop: async (address) => rmSync(dirname(address), { recursive: true, force: true }),
});

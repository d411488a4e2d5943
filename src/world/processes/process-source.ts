import { linuxProc } from './linux-proc.ts';
import { portablePs } from './portable-ps.ts';
import type { ProcessSource } from './process-entry.ts';

/** Where facts about processes come from on this system. */
export const processSource: ProcessSource = process.platform === 'linux' ? linuxProc : portablePs;

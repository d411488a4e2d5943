import { join } from 'node:path';
import type { IterationResult } from '../world.ts';
import { readJsonFile, writePrivately } from './agent-file.ts';

const NAME = 'result.json';

/** Kept before logs are trimmed: a host that dies right after leaves a log in which not everything can be read again. */
export function writeResult(dir: string, result: IterationResult): void {
  writePrivately(join(dir, NAME), JSON.stringify(result));
}

/** What became of the iteration, if somebody saw its end before us. */
export function readResult(dir: string): IterationResult | null {
  return readJsonFile(join(dir, NAME)) as IterationResult | null;
}

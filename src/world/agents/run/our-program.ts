import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invariant } from '../../../core/model/assert.ts';

/** Where the running program is, for what is started in its name later. */
export interface OurProgram {
  readonly node: string;
  readonly main: string;
  /** The folder that leads an agent's PATH. */
  readonly bin: string;
  readonly driver: string;
}

/** Finds the folder this code was bundled into, also when it was called through a link or from a checkout of ours. */
export function ourProgram(
  places: readonly (string | undefined)[] = [fileURLToPath(import.meta.url), process.argv[1]],
): OurProgram {
  const folder = places.flatMap(foldersAbove).find((one) => existsSync(join(one, 'main.js')));
  invariant(folder !== undefined, 'the running program has a main.js');
  return {
    node: process.execPath,
    main: join(folder, 'main.js'),
    bin: join(folder, 'bin'),
    driver: join(folder, 'driver.js'),
  };
}

/** The folder of our plugin, for clients that have such. */
export const ourPlugin = (): string => join(dirname(dirname(ourProgram().main)), 'plugin');

/** The folder of a file and the one above: code lies beside main.js or in chunks/. */
function foldersAbove(file: string | undefined): string[] {
  if (file === undefined || !existsSync(file)) return [];
  const folder = dirname(realpathSync(file));
  return [folder, dirname(folder)];
}

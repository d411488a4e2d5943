import { existsSync, realpathSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invariant } from '../../../core/model/assert.ts';
import type { AgentSettings } from '../../../core/model/settings.ts';
import type { Identity } from '../../git/run/identity.ts';
import type { Repository } from '../../git/run/repository.ts';
import type { Clock } from '../../contract/world.ts';

interface AgentLimits {
  /** How much is kept of one iteration's output; the middle is cut. */
  readonly logMb: number;
  /** How much output stops an iteration. */
  readonly outputMb: number;
}

export const AGENT_LIMITS: AgentLimits = { logMb: 64, outputMb: 2048 };

/** All that running agents needs to know. */
export interface AgentPlace {
  readonly repo: Repository;
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentSettings>;
  /** The user's. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly limits: AgentLimits;
  /** Whom agents commit as. */
  readonly identity: Identity;
  readonly program: OurProgram;
}

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

/** Recipes for `just` that call us. */
export const ourJustfile = (): string =>
  readFileSync(join(dirname(dirname(ourProgram().main)), 'share/justfile'), 'utf8');

/** The folder of a file and the one above: code lies beside main.js or in chunks/. */
function foldersAbove(file: string | undefined): string[] {
  if (file === undefined || !existsSync(file)) return [];
  const folder = dirname(realpathSync(file));
  return [folder, dirname(folder)];
}

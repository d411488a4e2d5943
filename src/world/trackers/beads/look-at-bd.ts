import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { findExecutable } from '../../processes/environment.ts';
import { ifThere, textIfThere } from '../../os/read-if-there.ts';
import type { Finding } from '../../contract/finding.ts';
import { BD_MISSING_REMEDY, runBd } from './bd-program.ts';
import type { BdPlace } from './bd-program.ts';
import { openBeadsIssues } from './beads-issues.ts';

const CHECK = 'beads';

export interface LookedAtBd {
  readonly findings: readonly Finding[];
  /** The issues may be asked for: another version of `bd` would change how they are kept by reading them. */
  readonly isSafe: boolean;
}

/** Whether there is a `bd`, whether it can do what loops need, and whether it is the one that keeps these issues. */
export async function lookAtBd(place: BdPlace, isNeeded: boolean): Promise<LookedAtBd> {
  const level = isNeeded ? 'fail' : 'warn';
  const programs = programsIn(place);
  if (programs.length === 0) {
    const message = 'bd, the program of Beads, is not on the PATH, and .beads is there';
    return { findings: [{ check: CHECK, level, message, remedy: BD_MISSING_REMEDY }], isSafe: false };
  }
  try {
    const versions = await Promise.all(programs.map((program) => versionOf(place, program)));
    await openBeadsIssues(place).abilities();
    const [version = ''] = versions;
    const mixed = mixedBecause(place, programs, versions);
    if (mixed === null) {
      return { findings: [{ check: CHECK, level: 'ok', message: `bd ${version}`, remedy: null }], isSafe: true };
    }
    const finding: Finding = { check: CHECK, level: 'warn', message: mixed.message, remedy: 'bd version' };
    return { findings: [finding], isSafe: mixed.isSafe };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, remedy } = error;
    return { findings: [{ check: CHECK, level, message, remedy }], isSafe: false };
  }
}

interface Mixed {
  readonly message: string;
  readonly isSafe: boolean;
}

function mixedBecause({ root }: BdPlace, programs: readonly string[], versions: readonly string[]): Mixed | null {
  const [version = ''] = versions;
  const last = textIfThere(join(root, '.beads', '.local_version')).trim();
  if (last !== '' && version !== '' && last !== version)
    return {
      message: `bd ${last} wrote these issues last, and bd ${version} is on the PATH: the newer one migrates them by reading, and the older one fails from then on`,
      isSafe: false,
    };
  const others = versions.flatMap((other, at) => (other === version ? [] : [`bd ${other} (${programs[at] ?? ''})`]));
  if (others.length === 0) return null;
  const message = `bd ${version} (${programs[0] ?? ''}) counts, and ${others.join(', ')} is on the PATH too: the newer one migrates issues by reading them, and the older one fails from then on`;
  return { message, isSafe: true };
}

/** Each program of that name on the PATH, once; the first counts. */
function programsIn({ env, root }: BdPlace): readonly string[] {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => isAbsolute(folder));
  const found = folders.flatMap((folder) => findExecutable('bd', { PATH: folder }, root) ?? []);
  const seen = new Set<string>();
  return found.filter((program) => {
    const real = ifThere(() => realpathSync(program)) ?? program;
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

/** Empty: it does not say. */
async function versionOf({ env, root }: BdPlace, program: string): Promise<string> {
  const folder = program.slice(0, program.lastIndexOf('/'));
  const { stdout } = await runBd({ env: { ...env, PATH: `${folder}:${env['PATH'] ?? ''}` }, root }, ['version']);
  return /\b\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? '';
}

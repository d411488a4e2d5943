import { join } from 'node:path';
import { makePrivateFolder, writePrivately } from '../../os/files.ts';
import { withMutex } from '../../processes/mutex.ts';
import { isAlive, isSame, ownIdentity } from '../../processes/identity.ts';
import { sharedSettings } from './distrust.ts';
import { HARDENED, listSettings, runGit } from './run-git.ts';
import { TRUSTED_FILES, type Trust, fileNow, holdInMemory, trustFile, trustOf } from './trust.ts';
import { layTrusted } from './trusted-folder.ts';

/** Before an agent starts: what counts from now on is what a run that is under way goes by or, in a new one, what is set. */
export const holdTrust = (commonDir: string): Promise<void> => hold(commonDir, () => lookAround(commonDir));

/** At the start of a process that may take up what agents of another one did: what the other went by goes on to count. */
export const takeUpTrust = (commonDir: string): Promise<void> => hold(commonDir, () => null);

function hold(commonDir: string, begin: () => Promise<Trust> | null): Promise<void> {
  return withMutex(join(commonDir, 'paralph/locks/trust'), async () => {
    const own = ownIdentity();
    const known = trustOf(commonDir);
    if (known?.holders.some((holder) => isSame(holder, own)) === true) return layTrusted(commonDir, known);
    const found = known ?? (await begin());
    if (found === null) return;
    const { holders, ...rest } = found;
    const trust: Trust = { holders: [...holders.filter(isAlive), own], ...rest };
    makePrivateFolder(join(commonDir, 'paralph'));
    writePrivately(trustFile(commonDir), JSON.stringify(trust));
    holdInMemory(commonDir, trust);
    layTrusted(commonDir, trust);
  });
}

async function lookAround(commonDir: string): Promise<Trust> {
  const args = ['config', '--local', '--includes', '-z', '--list'];
  const { stdout } = await runGit([...HARDENED, ...args], { cwd: commonDir });
  const files = Object.fromEntries(TRUSTED_FILES.map((name) => [name, fileNow(commonDir, name)])) as Trust['files'];
  return { holders: [], settings: await sharedSettings(commonDir, listSettings), config: stdout, files };
}

/** What has been set since the run began and makes files look different. Nobody knows by whom; the next run will go by it. */
export async function setSince(commonDir: string): Promise<readonly string[]> {
  const trust = trustOf(commonDir);
  if (trust === null) return [];
  const now = await sharedSettings(commonDir, listSettings);
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trust.settings)])];
  const isOther = (key: string): boolean => JSON.stringify(now[key]) !== JSON.stringify(trust.settings[key]);
  const files = TRUSTED_FILES.filter(
    (name) => name !== 'info/exclude' && fileNow(commonDir, name) !== trust.files[name],
  );
  return [...keys.filter((key) => key.startsWith('filter.') && isOther(key)), ...files];
}

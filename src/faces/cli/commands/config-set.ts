import { join, relative } from 'node:path';
import { shellWord } from '../../../core/model/shell-word.ts';
import { writeConfigKey } from '../../../world/config-files.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { branchIn } from '../../../world/trackers/target-place.ts';
import { checkConfigHere } from '../../call/config-here.ts';
import type { Handler } from '../../call/handler.ts';
import { describeForge } from '../run/say-forge.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface WrittenSetting {
  readonly key: string;
  readonly value: string;
  readonly file: string;
}

export const handle: Handler<WrittenSetting> = async (call) => {
  refuseInLoop(call, 'config set');
  const [key = '', value = ''] = call.args;
  const repo = findRepository(call.cwd);
  await checkConfigHere(call, repo);
  const file = await writeConfigKey(repo.root, key, value);
  const name = relative(repo.root, file);
  const says = [`set ${key} in ${name}`];
  const { target, files, settings } = await checkConfigHere(call, repo);
  if (settings.parallel.mergePolicy === 'pr' && (key === 'parallel.merge_policy' || key.startsWith('forge.')))
    says.push(...(await describeForge(repo, settings, call.env)));
  if (target !== null && !files.includes(join(repo.root, name))) {
    const branch = branchIn(repo, repo.root);
    const other = branch === null ? '' : `, or: ralph run --target ${shellWord(branch)}`;
    says.push(
      `note: this checkout is on ${branch ?? 'no branch'}; loops that land on ${target.branch} follow the ralph.toml of ${target.branch}. Commit it there${other}`,
    );
  }
  return { data: { key, value, file: name }, says };
};

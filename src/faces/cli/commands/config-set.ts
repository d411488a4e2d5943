import { relative } from 'node:path';
import { EXIT } from '../../../core/errors.ts';
import { writeConfigKey } from '../../../world/config-files.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Handler } from '../handler.ts';

export const handle: Handler = async (call) => {
  const [key = '', value = ''] = call.args;
  const repo = findRepository(call.cwd);
  const file = await writeConfigKey(repo.root, key, value);
  call.out.say(`set ${key} in ${relative(repo.root, file)}`);
  return EXIT.ok;
};

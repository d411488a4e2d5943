import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { nameKey } from '../../../text/config/layer.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';

export const handle: Handler<{ readonly key: string; readonly value: unknown }> = async (call) => {
  const [asked = ''] = call.args;
  const { config } = await openProject(call);
  const named = nameKey(asked);
  if (typeof named === 'string') throw new AppError('E_USAGE', named, { remedy: 'ralph config list' });
  const value = config.values.get(named.dotted);
  if (value === undefined)
    throw new AppError('E_USAGE', `${asked} is not set`, { remedy: `ralph config set ${shellWord(asked)} VALUE` });
  return { data: { key: named.dotted, value }, text: typeof value === 'string' ? value : JSON.stringify(value) };
};

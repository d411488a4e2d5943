import { EXIT } from '../../../core/errors.ts';
import { shellWord } from '../../../core/remedy.ts';
import { problemLine } from '../../../text/config/layer.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { checkConfig, configError } from '../../../world/config-files.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Handler } from '../handler.ts';
import { gateWarnings } from '../policy.ts';
import { warnAll } from '../prepare-run.ts';

export const handle: Handler = async (call) => {
  const repo = findRepository(call.cwd);
  const config = await checkConfig({ root: repo.root, env: call.env, flags: call.settings });
  const { files, problems, warnings } = config;
  if (call.flags['json'] === true) call.out.json({ version: 1, files, problems, warnings });
  for (const warning of warnings) call.out.say(call.out.style.yellow(`warning: ${cleanLine(problemLine(warning))}`));
  warnAll(call, gateWarnings(config.settings, call.env));
  const [first] = config.problems;
  if (first !== undefined) {
    const remedy = first.line > 0 ? `$EDITOR +${first.line} ${shellWord(first.file)}` : 'ralph config list';
    throw configError(config.problems, remedy);
  }
  if (call.flags['json'] !== true)
    call.out.say(
      config.files.length === 0
        ? 'no configuration file; the defaults are in force'
        : `fine: ${config.files.join(', ')}`,
    );
  return EXIT.ok;
};

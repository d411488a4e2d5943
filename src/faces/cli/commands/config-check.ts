import { shellWord } from '../../../core/model/shell-word.ts';
import { problemLine } from '../../../text/config/layer.ts';
import type { ConfigProblem } from '../../../text/config/layer.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { configError } from '../../../world/config-files.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { TargetPlace } from '../../../world/trackers/target-place.ts';
import { checkConfigHere } from '../../call/config-here.ts';
import type { Handler } from '../../call/handler.ts';
import { gateWarnings } from '../run/policy.ts';
import { refuseElsewhere } from '../../call/project.ts';
import { warnAll } from '../show/warn-all.ts';

interface Checked {
  readonly files: readonly string[];
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

export const handle: Handler<Checked> = async (call) => {
  const repo = findRepository(call.cwd);
  const config = await checkConfigHere(call, repo);
  const { files, problems, warnings } = config;
  for (const warning of warnings) call.out.say(call.out.style.yellow(`warning: ${cleanLine(problemLine(warning))}`));
  warnAll(call, gateWarnings(config.settings, call.env));
  const data = { files, problems, warnings };
  const [first] = problems;
  if (first !== undefined)
    return {
      data,
      error: configError(problems, first.line > 0 ? editCommand(first, config.target) : 'ralph config list'),
    };
  refuseElsewhere(call, config);
  const fine = files.length === 0 ? 'no configuration file; the defaults are in force' : `fine: ${files.join(', ')}`;
  return { data, says: [fine] };
};

/** What is read from a commit is edited where its branch is checked out. */
function editCommand({ file, line }: ConfigProblem, target: TargetPlace | null): string {
  const edit = (path: string): string => `$EDITOR +${line} ${shellWord(path)}`;
  const prefix = target === null ? '' : `${target.branch}:`;
  const isCommitted = target !== null && file.startsWith(prefix);
  return isCommitted ? `git switch ${shellWord(target.branch)} && ${edit(file.slice(prefix.length))}` : edit(file);
}

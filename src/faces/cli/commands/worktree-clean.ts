import { EXIT } from '../../../core/model/errors.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { cleanFeatures } from '../../../world/feature/clean-features.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

/** Removes what was made for people and has landed; what they made themselves is theirs. */
export const handle: Handler = async (call) => {
  const isDryRun = call.flags['dryRun'] === true;
  if (!isDryRun) refuseInLoop(call, 'worktree clean');
  const { repo, config } = await openProject(call);
  if (!isDryRun) await healWorktreeEntries(repo);
  const { removed, stays } = await cleanFeatures(repo, { settings: config.settings, isDryRun });
  if (call.flags['json'] === true) call.out.json({ version: 1, dryRun: isDryRun, removed, stays });
  for (const { name, path } of removed)
    call.out.say(cleanLine(`${isDryRun ? 'would remove' : 'removed'} ${name}: ${path}`));
  for (const { name, why } of stays) call.out.say(cleanLine(`${name} stays: ${why}`));
  if (removed.length === 0) call.out.say('nothing to clean');
  else if (!isDryRun) call.out.say('to have them back: ralph undo');
  return EXIT.ok;
};

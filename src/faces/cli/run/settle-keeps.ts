import { describeKeeps, isNoNews } from '../../../core/model/keeps.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import type { Keep } from '../../../world/keep/list-keeps.ts';
import { lookAtKeeps } from '../../../world/keep/watch-keeps.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** For a command that is no host: refs that keep work are as the log has them, and it has them all. In words, if somebody had changed any. */
export async function settleKeeps(repo: Repository): Promise<string | null> {
  const seen = await lookAtKeeps(await openView(repo), (await readState(repo)).keeps);
  if (!isNoNews(seen)) await writeFacts(repo, () => Promise.resolve([{ type: 'keeps-changed', ...seen }]));
  return describeKeeps(seen);
}

/** What is let go of on purpose does not come back; told before it goes. */
export async function tellDropped(repo: Repository, keeps: readonly Keep[]): Promise<void> {
  const dropped = keeps.map(({ ref }) => ref);
  const none = { made: {}, putBack: [], lost: [] };
  if (dropped.length > 0) await writeFacts(repo, () => Promise.resolve([{ type: 'keeps-changed', ...none, dropped }]));
}

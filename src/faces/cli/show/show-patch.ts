import { paintDiff } from '../../../text/screen/paint-diff.ts';
import { pageText } from '../../../world/page-text.ts';
import { rewriting } from '../../../world/os/rewrite-stream.ts';
import type { Write } from '../../../world/os/rewrite-stream.ts';
import type { Call } from '../../call/handler.ts';

/** Whoever applies it needs every byte; a terminal must not be steered by it. */
export async function showPatch({ env }: Call, write: Write): Promise<void> {
  if (!process.stdout.isTTY) return write(process.stdout);
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const painted: Write = (sink) => rewriting(write, paintDiff(isPlain))(sink);
  if (!(await pageText(painted, env))) await painted(process.stdout);
}

/** What is written is the text of the last field, which is empty here: it may be larger than any string. */
export async function writeJson(facts: object, write: Write): Promise<void> {
  const end = '"\n}';
  process.stdout.write(JSON.stringify(facts, null, 2).slice(0, -end.length));
  await rewriting(write, { take: (text) => JSON.stringify(text).slice(1, -1), rest: () => '' })(process.stdout);
  process.stdout.write(`${end}\n`);
}

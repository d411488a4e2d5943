import { isText, readBlobs, plainFiles } from '../git/objects/blobs.ts';
import { mergeInMemory } from '../git/merge/merge.ts';
import { RESOLUTION_BYTES_MAX, resolutionKey } from '../git/merge/resolutions.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';
import type { Resolutions } from '../git/merge/resolutions.ts';

/** Seven letters or more: attributes may make them longer. A line of `=` alone is a heading in many a text. */
const MARKER = /^[<>|]{7,}( |\r?$)/m;

/** Remembers what `resolved` made of every file that does not merge by itself. Files left with markers teach nothing. */
export async function learnResolutions(
  view: GitView,
  resolutions: Resolutions,
  { ours, theirs, resolved }: { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha },
): Promise<void> {
  const merged = await mergeInMemory(view, ours, theirs);
  if (merged.clean || merged.textual.length === 0) return;
  const files = await plainFiles(
    view,
    resolved,
    merged.textual.map((conflict) => conflict.path),
  );
  const settled = merged.textual.flatMap((conflict) => {
    const file = files.get(conflict.path);
    return file?.mode === conflict.mode ? [{ conflict, blob: file.blob }] : [];
  });
  const contents = await readBlobs(
    view,
    settled.map(({ blob }) => blob),
    RESOLUTION_BYTES_MAX,
  );
  const answers = new Map<string, Set<Sha>>();
  for (const { conflict, blob } of settled) {
    const key = resolutionKey(conflict);
    answers.set(key, (answers.get(key) ?? new Set()).add(blob));
  }
  for (const { conflict, blob } of settled) {
    const content = contents.get(blob);
    // Two files with the same contents may have been resolved in two ways; then neither is the answer.
    const isClear = answers.get(resolutionKey(conflict))?.size === 1;
    if (isClear && content !== undefined && isResolved(content)) resolutions.keep(conflict, content);
  }
}

function isResolved(content: Buffer): boolean {
  return isText(content) && !MARKER.test(content.toString('latin1'));
}

import { cutChars } from '../screen/clean.ts';
import { cleanLine } from '../trackers/clean.ts';
import type { Intent, PromptFacts, ReworkFacts } from './facts.ts';
import { bullets, names, quoted, section } from './markdown.ts';

const BODY_CHARS_MAX = 2000;
const THEIRS_MAX = 8;
const PATHS_MAX = 10;

const HOW_TO_RESOLVE = `Each place begins with \`<<<<<<<\`: first this branch's side, below \`|||||||\` what both sides began with, below \`=======\` the side that landed, until \`>>>>>>>\`.
Write there what does justice to both: neither side's change may get lost. Remove every marker. A file that one side deleted, or that is no text, has no markers: decide what becomes of it.`;

const RED_TOGETHER = `Both sides were green alone. They are red together, so no conflict shows where it is: look for what one side changed and the other still expects. Often an edit of one side has to be repeated at places the other side added, such as a new name, a further argument, or a count in a test. Mend it here.`;

/** All that the one who made the work has to know when it comes back. */
export function reworkSection(facts: PromptFacts): string {
  const { rework } = facts;
  if (rework === null) return '';
  const parts = [
    openingOf(rework),
    askedSection(rework),
    conflictFilesSection(facts),
    markersLeftSection(facts),
    strayedSection(facts),
    // A review is about this work alone, unless main was merged in and did not fit.
    (rework.kind === 'review' || rework.kind === 'checks') && rework.paths.length === 0 ? '' : intentsSection(facts),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function openingOf(rework: ReworkFacts): string {
  switch (rework.kind) {
    case 'conflict':
      return conflictOpening(rework);
    case 'red':
      return redOpening(rework);
    case 'checks':
      return section(
        'The checks of your pull request are red',
        `Your work was pushed as a pull request, and there its checks failed (${cleanLine(rework.detail)}). Mend that here: what you commit is pushed again.`,
      );
    case 'review':
      return section(
        'Your work was reviewed',
        'It was done and its gates were green. The user read it and wants it changed before it lands. Make these changes and leave the rest as it is.',
      );
  }
}

function askedSection({ asked = [] }: ReworkFacts): string {
  return section(
    'What the review asks for',
    asked.map(quoted).join('\n\n'),
    'Each part is about the lines it names, as they were in your last commit. It counts for more than the task above:',
  );
}

function conflictOpening({ target, detail }: ReworkFacts): string {
  return section(
    'Your work has to be merged',
    `It does not merge by itself (${cleanLine(detail)}). So ${cleanLine(target)}, with all that landed, was merged into your branch and committed as it is. Finish that merge: resolve the conflicts, then see that the task is done as a whole.`,
  );
}

function redOpening({ target, detail }: ReworkFacts): string {
  return section(
    'Your work is red together with what landed',
    `It cannot land like this (${cleanLine(detail)}). So ${cleanLine(target)}, with all that landed, was merged into your branch and committed.\n\n${RED_TOGETHER}`,
  );
}

export function conflictFilesSection({ rework }: PromptFacts): string {
  if (rework === null || rework.paths.length === 0) return '';
  return section(
    'Files with conflicts',
    `${names(rework.paths)}\n\n${HOW_TO_RESOLVE}`,
    `When ${cleanLine(rework.target)} was merged into the branch, these files were committed with conflict markers:`,
  );
}

export function markersLeftSection({ rework }: PromptFacts): string {
  if (rework === null) return '';
  return section('Conflict markers that are left', names(rework.markersLeft), 'Nothing lands while one is left:');
}

export function strayedSection({ rework }: PromptFacts): string {
  if (rework === null) return '';
  return section(
    'Changes that do not belong here',
    names(rework.strayed),
    'These files had no conflict and were changed all the same. Make them again what they were right after the merge:',
  );
}

/** What the tasks on both sides say. Bodies are quoted: they are not meant for the one who reads this. */
export function intentsSection({ rework }: PromptFacts): string {
  if (rework === null) return '';
  const { mine, theirs } = rework;
  const shown = theirs.slice(0, THEIRS_MAX).map((one) => intent(`Landed as ${one.commit.slice(0, 10)}: task`, one));
  const more = theirs.length > THEIRS_MAX ? [`And ${theirs.length - THEIRS_MAX} more.`] : [];
  const unknown =
    theirs.length === 0 ? ['Landed: no task is known for it. `git log -p -- FILE` shows what it did.'] : [];
  return section(
    'What both sides want',
    [intent('This branch: task', mine), ...shown, ...more, ...unknown].join('\n\n'),
  );
}

function intent(opening: string, { id, title, body }: Intent): string {
  const line = `${opening} ${cleanLine(id)}, ${cleanLine(title)}`;
  const text = body.trim();
  if (text === '') return line;
  return `${line}\n${quoted(text.length > BODY_CHARS_MAX ? `${cutChars(text, BODY_CHARS_MAX)}…` : text)}`;
}

export function foreseenSection({ foreseen }: PromptFacts): string {
  const lines = foreseen.map(({ task, paths }) => {
    const more = paths.length > PATHS_MAX ? ` and ${paths.length - PATHS_MAX} more` : '';
    const shown = paths.slice(0, PATHS_MAX).map((path) => cleanLine(path));
    return `with ${task === null ? 'what landed meanwhile' : cleanLine(task)}: ${shown.join(', ')}${more}`;
  });
  const opening = 'What you are changing now will not merge as it is:';
  const ending =
    "Stay out of each other's way there: keep your edits small, and leave lines alone that you need not touch.";
  return lines.length === 0 ? '' : `${section('What will conflict', bullets(lines), opening)}\n\n${ending}`;
}

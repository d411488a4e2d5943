import { slug } from '../../core/model/ids.ts';

interface Nameable {
  /** The id as written, or null when the file gives none. */
  readonly id: string | null;
  readonly title: string;
}

const PLAIN_CHARS_MAX = 40;
/** Words with ordinary separators: the slug of such a title loses nothing that tells it from another. */
const PLAIN_TITLE = /^[a-z0-9]+(?:(?:[,:;]? |[-_/])[a-z0-9]+)*[.!?]?$/;

/**
 * One id for each task: its own, or one made of the title alone. Position would be simpler, but then inserting a task
 * renames all below it, and with them their branches and their history.
 */
export function stableIds(tasks: readonly Nameable[]): string[] {
  const taken = new Set<string>();
  for (const task of tasks) if (task.id !== null) taken.add(task.id);

  const ids: (string | null)[] = tasks.map((task) => {
    if (task.id !== null) return task.id;
    const base = idOfTitle(task.title);
    if (taken.has(base)) return null;
    taken.add(base);
    return base;
  });

  // Twins come after every first one: a title "Retry 2" keeps its id however often "Retry" is there.
  const nextNumber = new Map<string, number>();
  return ids.map((id, index) => {
    if (id !== null) return id;
    const base = idOfTitle(tasks[index]?.title ?? '');
    let number = nextNumber.get(base) ?? 2;
    while (taken.has(`${base}-${number}`)) number += 1;
    nextNumber.set(base, number + 1);
    taken.add(`${base}-${number}`);
    return `${base}-${number}`;
  });
}

/** The id a title gets when nothing else bears it. Case and Unicode composition do not matter. */
export function idOfTitle(title: string): string {
  const same = title.normalize('NFC').toLowerCase();
  const whole = same.length <= PLAIN_CHARS_MAX && PLAIN_TITLE.test(same);
  return whole ? slug(same) : `${slug(same)}-${shortHash(same)}`;
}

/** FNV-1a folded to 24 bits, as 6 hex digits: tells titles apart, guards nothing. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  const folded = ((hash >>> 24) ^ hash) & 0xffffff;
  return folded.toString(16).padStart(6, '0');
}

import { lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, watch } from 'node:fs';
import { join } from 'node:path';

/** What the host may say while the agent works. */
export type InboxMessage = { readonly type: 'steer'; readonly text: string } | { readonly type: 'interrupt' };

const POLL_MS = 1000;
/** Many files that come together are looked at once. */
const GATHER_MS = 20;
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** A message that cannot be read for this long is not in the middle of being written. */
const UNREADABLE_MS = 5000;

const byNumber = new Intl.Collator('en', { numeric: true });

export interface Inbox {
  /** Offers every waiting message, oldest first. */
  offer(): void;
  close(): void;
}

/** Watches a folder for messages. `take` says whether the message was handed on; if not, it waits where it is. */
export function openInbox(folder: string, take: (message: InboxMessage) => boolean): Inbox {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  /** A file that cannot be renamed must still not be handed on twice. */
  const settled = new Set<string>();
  const settle = (name: string, ending: string): void => {
    settled.add(name);
    try {
      renameSync(join(folder, name), join(folder, `${name}.${ending}`));
    } catch {
      // Whoever took it away knows.
    }
  };
  const offer = (): void => {
    let isSteerWaiting = false;
    for (const name of waiting(folder)) {
      const message = settled.has(name) ? 'unreadable' : readMessage(join(folder, name));
      if (message === 'unreadable') continue;
      // Guidance keeps its order; an interrupt waits for nothing.
      if (message?.type === 'steer' && isSteerWaiting) continue;
      if (message === null) settle(name, 'refused');
      else if (take(message)) settle(name, 'taken');
      else isSteerWaiting = true;
    }
  };
  // Watching alone is not to be relied on: some file systems tell nothing.
  const poll = setInterval(offer, POLL_MS);
  let soon: NodeJS.Timeout | undefined;
  const watcher = watchQuietly(folder, () => (soon ??= setTimeout(offerAll, GATHER_MS)));
  function offerAll(): void {
    soon = undefined;
    offer();
  }
  return {
    offer,
    close: () => {
      clearInterval(poll);
      clearTimeout(soon);
      watcher?.close();
    },
  };
}

function waiting(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.sort(byNumber.compare);
  } catch {
    return [];
  }
}

/** Null: it is no message and never will be. */
function readMessage(path: string): InboxMessage | 'unreadable' | null {
  try {
    const stat = lstatSync(path);
    const { size, mtimeMs } = stat;
    // A pipe or a device in a message's place would hold us up for ever.
    if (!stat.isFile() || size > MESSAGE_BYTES_MAX) return null;
    const found = asMessage(readFileSync(path, 'utf8'));
    return found ?? (Date.now() - mtimeMs < UNREADABLE_MS ? 'unreadable' : null);
  } catch {
    return 'unreadable';
  }
}

function asMessage(text: string): InboxMessage | null {
  try {
    const value = JSON.parse(text) as { readonly type?: unknown; readonly text?: unknown } | null;
    if (value?.type === 'interrupt') return { type: 'interrupt' };
    return value?.type === 'steer' && typeof value.text === 'string' ? { type: 'steer', text: value.text } : null;
  } catch {
    return null;
  }
}

function watchQuietly(folder: string, onChange: () => void): { close(): void } | null {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

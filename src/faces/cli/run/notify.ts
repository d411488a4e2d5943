import { join } from 'node:path';
import type { Facts } from '../../../core/fold/fold.ts';
import { hostId } from '../../../core/model/ids.ts';
import type { ProcessMark, State } from '../../../core/model/model.ts';
import type { Settings } from '../../../core/model/settings.ts';
import type { Notice, NoticeKind } from '../../../core/views/notices.ts';
import { finishedNotice, landedNotices, looksSame, noticesIn, notificationOf } from '../../../core/views/notices.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { terminalNote } from '../../../text/screen/osc.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { ralphFolder } from '../../../world/git/run/state-places.ts';
import { ownEnvironment } from '../../../world/processes/environment.ts';
import { newToken } from '../../../world/processes/marker.ts';
import { runCommand } from '../../../world/processes/run-command.ts';
import type { Call } from '../../call/handler.ts';

/** What happens within this time is one notification. */
const GROUP_MS = 30_000;
/** A notification that is not out by then is not waited for. */
const COMMAND_MS = 5000;
const GRACE_MS = 200;

export interface Notifier {
  readonly onRecord: (record: Facts, before: State, after: State) => void;
  /** Tells at once what is left to tell, and that it is over unless a person ended it. */
  readonly finish: (before: State, after: State, isAsked: boolean) => Promise<void>;
}

interface Told {
  readonly repo: Repository;
  readonly settings: Pick<Settings, 'notify' | 'limits' | 'project'>;
  /** Of several hosts the one that wrote a record tells of it. */
  readonly own: ProcessMark;
}

/** Tells a person who looks elsewhere, each thing once; nothing of the run ever waits for it. */
export function openNotifier(call: Call, { repo, settings, own }: Told): Notifier {
  const { notify } = settings;
  const about = { attempts: settings.limits.attempts, limits: settings.project };
  const isOn = (kind: NoticeKind): boolean => notify.on.includes(kind);
  const isSilent = notify.on.length === 0 || (!notify.terminal && notify.command === null);
  const known = new Set<string>();
  const waiting: Notice[] = [];
  const sending = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  let isFirst = true;

  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const one = send(call, repo, notify, waiting.splice(0)).finally(() => sending.delete(one));
    sending.add(one);
  };
  const add = (notices: readonly Notice[], isOwn: boolean): void => {
    for (const notice of notices) {
      if (known.has(notice.key)) continue;
      known.add(notice.key);
      if (isOwn && isOn(notice.kind)) waiting.push(notice);
    }
    if (waiting.length === 0 || timer !== null) return;
    timer = setTimeout(flush, GROUP_MS);
    timer.unref();
  };
  return {
    onRecord: ({ by }, before, after) => {
      if (isSilent) return;
      // What waited before this run is no news.
      if (isFirst) add(noticesIn(before, about), false);
      isFirst = false;
      const writer = after.hosts[hostId(by)] ?? before.hosts[hostId(by)];
      const isOwn = writer?.mark.pid === own.pid && writer.mark.startTime === own.startTime;
      if (!looksSame(before, after)) add(noticesIn(after, about), isOwn);
      if (isOn('landed')) add(landedNotices(before, after), isOwn);
    },
    finish: async (before, after, isAsked) => {
      if (isSilent) return;
      if (!isAsked) add([finishedNotice(before, after, about)], true);
      flush();
      await Promise.all(sending);
    },
  };
}

async function send(
  { env, out, signal }: Call,
  repo: Repository,
  notify: Settings['notify'],
  notices: readonly Notice[],
): Promise<void> {
  const note = notificationOf(notices);
  const [title, body] = [cleanLine(note.title), note.body.split('\n').map(cleanLine).join('\n')];
  if (notify.terminal && signal === undefined) out.note(terminalNote(env, title, body));
  if (notify.command === null) return;
  const items = note.items.map((item) => ({ ...item, detail: cleanLine(item.detail), task: clean(item.task) }));
  const told = { ...note, title, body, items, repository: repo.root, at: new Date().toISOString() };
  const logFile = join(ralphFolder(repo), 'logs', 'notify.log');
  try {
    const { code, timedOut, tail } = await runCommand({
      command: notify.command,
      cwd: repo.root,
      env: ownEnvironment(env),
      logFile,
      input: `${JSON.stringify(told)}\n`,
      timeoutMs: COMMAND_MS,
      graceMs: GRACE_MS,
      signal: new AbortController().signal,
      token: newToken(),
    });
    if (code === 0) return;
    const why = timedOut ? `it had not ended after ${COMMAND_MS / 1000} s` : `it exited with ${code ?? '?'}`;
    const last = cleanLine(tail.trimEnd().split('\n').at(-1) ?? '');
    out.say(out.style.yellow(`warning: notify.command: ${why}${last === '' ? '' : `: ${last}`}`));
  } catch (error) {
    out.say(
      out.style.yellow(`warning: notify.command: ${cleanLine(error instanceof Error ? error.message : String(error))}`),
    );
  }
}

const clean = (text: string | null): string | null => (text === null ? null : cleanLine(text));

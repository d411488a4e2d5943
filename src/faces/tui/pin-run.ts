import { ReadStream } from 'node:tty';
import type { LoopId } from '../../core/model/ids.ts';
import type { State } from '../../core/model/model.ts';
import { isWorking, loopsOf } from '../../core/model/model.ts';
import { isPromptTracker, taskIdOf } from '../../core/model/tasks.ts';
import type { Facts } from '../../core/fold/fold.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { clockTime } from '../../world/os/clock.ts';
import { hasTerminal, startGuard } from '../../world/processes/terminal-guard.ts';
import { talkToAgent } from '../../world/start/talk-to-agent.ts';
import type { Call } from '../call/handler.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { factsOf } from './facts.ts';
import type { FactsAbout } from './facts.ts';
import { openLastWords } from './last-words.ts';
import { lookOf } from './look.ts';
import type { RunFacts } from './model.ts';
import { pinnedLines } from './pinned-lines.ts';
import { render } from './line.ts';

const TICK_MS = 1000;
/** An agent that says nothing of note for so long is quoted. */
const SILENT_MS = 60_000;

export interface PinnedRun {
  readonly onRecord: (record: Facts, state: State) => void;
  /** Where the view is open: once it is closed, so that the terminal is one program's at a time. */
  readonly stop: () => Promise<void>;
}

/** Rows below the lines of a run, and the key that opens the view. Null: there is no terminal of ours to draw on. */
export async function pinRun(call: Call, repo: Repository, about: FactsAbout): Promise<PinnedRun | null> {
  const { out, env, flags } = call;
  const isPlain =
    (env['CI'] ?? '') !== '' || env['TERM'] === 'dumb' || flags['events'] === true || flags['json'] === true;
  if (isPlain || !process.stdout.isTTY || !process.stderr.isTTY || !hasTerminal()) return null;
  const screen = process.stderr;
  const look = lookOf(out, env, { stream: screen, isAscii: false });
  const quotes = openQuotes(call, repo);
  let state: State | null = null;
  let facts: RunFacts | null = null;
  let drawn = '';
  let isLent = false;
  let isOver = false;
  let lent: Promise<unknown> = Promise.resolve();

  const rows = (): readonly string[] =>
    facts === null
      ? []
      : pinnedLines(facts, Date.now(), screen.columns).map((line) => render(line, screen.columns, look));
  const draw = (): string => {
    const lines = rows();
    drawn = lines.join('\n');
    // No row goes on in the next one; the cursor waits above them, where the next line is printed.
    return lines.length === 0 ? '' : `\u001b[?7l${lines.join('\n')}\u001b[?7h\r\u001b[${lines.length - 1}A`;
  };
  const pinned = { wipe: () => '\r\u001b[J', draw, isLent: () => isLent };
  const show = (): void => {
    if (!isLent && rows().join('\n') !== drawn) screen.write(`\u001b[?2026h${pinned.wipe()}${draw()}\u001b[?2026l`);
  };

  const keys = await hearView(call, about, {
    borrow: async (borrower) => {
      isLent = true;
      screen.write(pinned.wipe());
      lent = borrower().catch(() => {});
      await lent;
      isLent = false;
      // The run may have ended behind the view.
      if (!isOver) out.pin(pinned);
    },
  });
  out.pin(pinned);
  const timer = setInterval(() => {
    if (state === null) return;
    if (state !== facts?.state) facts = factsOf(state, about, Date.now());
    if (!isLent) quotes.quote(state);
    show();
  }, TICK_MS);
  timer.unref();
  screen.on('resize', show);
  return {
    onRecord: (record, now) => {
      state = now;
      quotes.heard(record);
    },
    stop: async () => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      await lent;
      isLent = false;
      screen.removeListener('resize', show);
      out.pin(null);
      keys.stop();
    },
  };
}

/** The last words of an agent of which nothing else was told for a while. */
function openQuotes({ out }: Call, repo: Repository) {
  const ears = openLastWords(repo, Date.now);
  const toldMs = new Map<LoopId, number>();
  return {
    heard: ({ events }: Facts): void => {
      for (const event of events) if ('loop' in event && event.loop !== null) toldMs.set(event.loop, Date.now());
    },
    quote: (state: State): void => {
      const working = loopsOf(state).filter((loop) => isWorking(loop) && loop.host !== null);
      ears.listen(working);
      const nowMs = Date.now();
      for (const { id, task } of working) {
        const words = ears.words.get(id);
        if (words === undefined || nowMs - (toldMs.get(id) ?? nowMs) < SILENT_MS) continue;
        toldMs.set(id, nowMs);
        const name = out.style.bold(cleanLine(taskIdOf(state, task)));
        out.say(`${out.style.dim(clockTime(nowMs))} ${name} is at it: ${words.text}`);
      }
    },
  };
}

interface Lender {
  readonly borrow: (borrower: () => Promise<unknown>) => Promise<void>;
}

/** `v` opens the view in a process of its own; Ctrl-C and Ctrl-Z stay the terminal's. */
async function hearView(
  { env, cwd }: Call,
  { tracker }: FactsAbout,
  { borrow }: Lender,
): Promise<{ readonly stop: () => void }> {
  if (!process.stdin.isTTY) return { stop: () => {} };
  const guard = await startGuard(process.stderr, '');
  const words = isPromptTracker(tracker) ? ['watch'] : ['watch', '--tasks', tracker];
  const argv = [process.execPath, process.argv[1] ?? '', ...words];
  let input: ReadStream | null = null;
  let isLent = false;
  let isOver = false;
  const deafen = (): void => {
    input?.destroy();
    input = null;
  };
  const hear = (): void => {
    deafen();
    // A key would stop who reads in the background; a run that ended behind its view has no keys, and who woke up behind it
    // (Ctrl-Z and fg) must not take those of the view.
    if (isOver || isLent || !hasTerminal()) return;
    guard.say('keys');
    const stream = new ReadStream(process.stdin.fd);
    input = stream;
    stream.unref();
    stream.on('error', deafen);
    stream.on('data', (bytes) => {
      if (!String(bytes).includes('v')) return;
      deafen();
      isLent = true;
      void borrow(() => talkToAgent({ argv, cwd, env })).then(() => {
        isLent = false;
        hear();
      });
    });
  };
  hear();
  process.on('SIGCONT', hear);
  return {
    stop: () => {
      isOver = true;
      process.removeListener('SIGCONT', hear);
      deafen();
      guard.say('bye');
    },
  };
}

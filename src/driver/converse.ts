import { openTalk } from '../text/agents/talk/talk.ts';
import type { TalkState, TalkStep } from '../text/agents/talk/talk.ts';
import type { TalkSpec } from '../text/agents/talk/talk-spec.ts';
import { startClient } from './client.ts';
import { openInbox } from './inbox.ts';
import type { Client } from './client.ts';
import process from 'node:process';

/** How long a client may take to leave by itself after its work is done. Claude may wait for a background task. */
const LINGER_MS = { acp: 2000, 'codex-app-server': 2000, 'claude-stdio': 60_000 } as const;
const FAILED_MS = 2000;
/** After an interrupt: for the turn to be given up, then for the client to leave. */
const YIELD_MS = 1000;
const LEAVE_MS = 1000;

const EXIT_FAILED = 1;

interface Conversation {
  /** Gives up by protocol, then by force. */
  readonly interrupt: () => void;
  /** The exit code: 0 if the last turn ended in order. */
  readonly ended: Promise<number>;
}

interface ConversationPlace {
  readonly inboxFolder: string;
  readonly tell: (message: string) => void;
}

/** Holds the conversation of one iteration: from the client's start to its end. */
export function converse(spec: TalkSpec, prompt: string, place: ConversationPlace): Conversation {
  const talk = openTalk(spec, prompt);
  let state: TalkState = 'going';
  let isInterrupted = false;
  let giveUp: NodeJS.Timeout | undefined;

  const output = openOutput((message) => {
    place.tell(message);
    interrupt();
  });
  const client = startClient(spec, {
    onOutput: (chunk, resume) =>
      output.write(chunk, () => {
        hearOut(chunk);
        resume();
      }),
    onTrouble: place.tell,
  });
  const ending = openEnding(client);

  const steer = (text: string): boolean => {
    const lines = ending.isBegun() || isInterrupted ? null : talk.steer(text);
    if (lines === null) return false;
    state = 'going';
    client.send(lines);
    return true;
  };
  const inbox = openInbox(place.inboxFolder, (message) => {
    if (message.type === 'steer') return steer(message.text);
    interrupt();
    return true;
  });

  const follow = (step: TalkStep): void => {
    if (step.note !== null) place.tell(step.note);
    client.send(step.send);
    if (step.state === state) return;
    state = step.state;
    // Guidance that waited for the end of the turn begins the next one.
    if (state === 'turn-ended') inbox.offer();
    if (state === 'going') ending.pause();
    else ending.begin(isInterrupted ? LEAVE_MS : state === 'failed' ? FAILED_MS : LINGER_MS[spec.kind]);
  };
  const hearOut = openSplitter((line) => follow(talk.take(line)));

  function interrupt(): void {
    if (isInterrupted) return;
    isInterrupted = true;
    const lines = ending.isBegun() ? [] : talk.interrupt();
    client.send(lines);
    if (lines.length === 0) ending.begin(LEAVE_MS);
    else giveUp = setTimeout(() => void (ending.isBegun() || ending.begin(LEAVE_MS)), YIELD_MS);
  }

  client.send(talk.begin());
  const ended = client.ended.then(async (code) => {
    inbox.close();
    ending.clear();
    clearTimeout(giveUp);
    await output.flush();
    if (state === 'turn-ended' && !output.isBroken()) return 0;
    return code === 0 || ending.isForced() ? EXIT_FAILED : code;
  });
  return { interrupt, ended };
}

const KILL_MS = 2000;

/** Brings a client to its end: first nothing more is said to it, then it is asked by signal, then it is killed. */
interface Ending {
  /** Begins, or begins anew with another time to leave by itself. */
  readonly begin: (graceMs: number) => void;
  /** It works again: no time runs. */
  readonly pause: () => void;
  /** Nothing more can be said to it. */
  readonly isBegun: () => boolean;
  /** It did not leave by itself. */
  readonly isForced: () => boolean;
  readonly clear: () => void;
}

function openEnding(client: Client): Ending {
  let isBegun = false;
  let isForced = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const force = (): void => {
    isForced = true;
    client.kill('SIGTERM');
    wait(KILL_MS, () => client.kill('SIGKILL'));
  };
  return {
    begin: (graceMs) => {
      if (isForced) return;
      if (!isBegun) client.closeInput();
      isBegun = true;
      wait(graceMs, force);
    },
    pause: () => {
      if (!isForced) clearTimeout(timer);
    },
    isBegun: () => isBegun,
    isForced: () => isForced,
    clear: () => clearTimeout(timer),
  };
}

const LINE_END = 0x0a;
/** A longer line is no message of a protocol: it is skipped, so that no client can fill our memory. */
const LINE_BYTES_MAX = 1024 * 1024;

/** Cuts a stream of bytes into lines, in bounded memory. */
function openSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const endLine = (): void => {
    if (size > 0 && size <= LINE_BYTES_MAX) onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    size = 0;
  };
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size <= LINE_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      keep(chunk.subarray(from, end));
      endLine();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  };
}

interface Output {
  /** Hands bytes on as they are; calls `resume` when there is room for more. */
  write(chunk: Buffer, resume: () => void): void;
  isBroken(): boolean;
  /** Resolves when all is written, or cannot be. */
  flush(): Promise<void>;
}

/** Our standard output. When it breaks, that is told once; what comes after is lost. */
function openOutput(onBroken: (message: string) => void): Output {
  let isBroken = false;
  const breakOff = (error: Error): void => {
    if (isBroken) return;
    isBroken = true;
    onBroken(`cannot write the client's output: ${error.message}`);
  };
  process.stdout.on('error', breakOff);
  return {
    write: (chunk, resume) => {
      if (isBroken) return resume();
      process.stdout.write(chunk, (error) => {
        if (error != null) breakOff(error);
        resume();
      });
    },
    isBroken: () => isBroken,
    flush: () =>
      new Promise((resolve) => {
        if (isBroken) resolve();
        else process.stdout.write('', () => resolve());
      }),
  };
}

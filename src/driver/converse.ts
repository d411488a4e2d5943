import { openTalk } from '../text/agents/talk/talk.ts';
import type { TalkState, TalkStep } from '../text/agents/talk/talk.ts';
import type { TalkSpec } from '../text/agents/talk/talk-spec.ts';
import { startClient } from './client.ts';
import { openEnding } from './ending.ts';
import { openInbox } from './inbox.ts';
import { openSplitter } from './line-splitter.ts';
import { openOutput } from './output.ts';

/** How long a client may take to leave by itself after its work is done. Claude may wait for a background task. */
const LINGER_MS = { acp: 2000, 'codex-app-server': 2000, 'claude-stdio': 60_000 } as const;
const FAILED_MS = 2000;
/** After an interrupt: for the turn to be given up, then for the client to leave. */
const YIELD_MS = 1000;
const LEAVE_MS = 1000;

const EXIT_FAILED = 1;

export interface Conversation {
  /** Gives up by protocol, then by force. */
  readonly interrupt: () => void;
  /** The exit code: 0 if the last turn ended in order. */
  readonly ended: Promise<number>;
}

export interface ConversationPlace {
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

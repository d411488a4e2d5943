import { openAcp } from './acp.ts';
import { openClaudeStdio } from './claude-stdio.ts';
import { openCodexServer } from './codex-app-server.ts';
import type { TalkSpec } from './talk-spec.ts';
import type { Talk } from './talk-types.ts';

export type { Talk, TalkState, TalkStep } from './talk-types.ts';

/** Opens the conversation in which this prompt is worked on. */
export function openTalk(spec: TalkSpec, prompt: string): Talk {
  switch (spec.kind) {
    case 'acp':
      return openAcp(spec, prompt);
    case 'codex-app-server':
      return openCodexServer(spec, prompt);
    case 'claude-stdio':
      return openClaudeStdio(prompt);
  }
}

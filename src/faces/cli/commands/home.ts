import type { ExitCode } from '../../../core/model/errors.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import { inboxView } from '../../../core/views/inbox.ts';
import type { State } from '../../../core/model/model.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import type { Call } from '../../call/handler.ts';
import { openTasksIfAny } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import { printAnswer } from '../show/print-answer.ts';
import { TEN_LINES } from '../show/short-help.ts';
import { handle as showStatus } from './status.ts';

const WHY_CHARS_MAX = 60;

/** Bare `ralph`: where things stand and the next step, or what it is for who is in no repository. */
export async function home(call: Call): Promise<ExitCode> {
  try {
    const shown = await showStatus(call);
    const exit = typeof shown === 'number' ? shown : printAnswer(call, shown);
    const { repo, config } = await openProject({ ...call, out: { ...call.out, say: () => {} } });
    const { state, tracker } = await openTasksIfAny({ repo, config }, await readState(repo));
    const { limits, project } = config.settings;
    call.out.data(
      `${nextStep(state, tracker, { attempts: limits.attempts, limits: project })}\nall commands: ralph --help`,
    );
    return exit;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_NO_REPOSITORY') throw error;
    call.out.data(TEN_LINES);
    return EXIT.ok;
  }
}

/** What waits longest for the person first; then whatever moves on what is left. */
function nextStep(state: State, tracker: string, about: Parameters<typeof inboxView>[1]): string {
  const [item] = inboxView(state, about).items;
  if (item !== undefined)
    return `next: ${item.next}   (${shortLine(`${item.task ?? item.title}: ${item.detail}`, WHY_CHARS_MAX)})`;
  if (Object.keys(state.hosts).length > 0) return 'next: ralph watch';
  const tasks = state.trackers[tracker]?.tasks ?? [];
  const isOpen = tasks.some(({ id, status }) => status === 'open' && !Object.hasOwn(state.landed, `${tracker}#${id}`));
  if (isOpen) return 'next: ralph run --parallel';
  return 'next: ralph run "what should be done"';
}

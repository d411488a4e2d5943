import { cleanLine } from '../../../text/screen/clean.ts';
import type { MadeFeature } from '../../../world/feature/make-feature.ts';
import { makeFeature } from '../../../world/feature/make-feature.ts';
import { fromFolder } from '../../../world/feature/plan-feature.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { sayFailedSetup } from '../show/say-failed-setup.ts';

interface MadeView extends Omit<MadeFeature, 'portBase'> {
  readonly port_base: number;
}

/** A worktree with everything it needs. Its folder is the data: `cd "$(ralph worktree new login)"`. */
export const handle: Handler<MadeView> = async (call) => {
  refuseInLoop(call, 'worktree new');
  const { repo, config } = await openProject(call);
  const { settings } = config;
  const path = flagOf(call, 'path');
  const made = await makeFeature(repo, {
    name: call.args[0] ?? '',
    base: flagOf(call, 'from'),
    path: path === null ? null : fromFolder(call.cwd, path),
    branch: flagOf(call, 'branch'),
    settings: settings.worktree,
    target: settings.landing.target,
    install: call.flags['install'] !== false,
    env: call.env,
    onStep: (text) => call.out.say(cleanLine(text)),
  });
  sayFailedSetup(call.out, made);
  const { portBase, ...rest } = made;
  return { data: { ...rest, port_base: portBase }, text: made.path };
};

const flagOf = ({ flags }: Call, name: string): string | null => {
  const value = flags[name];
  return typeof value === 'string' ? value : null;
};

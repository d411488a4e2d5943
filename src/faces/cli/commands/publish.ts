import { EXIT } from '../../../core/errors.ts';
import type { ExitCode } from '../../../core/errors.ts';
import type { PublishEvent } from '../../../engine/effects/publish.ts';
import { publishTo } from '../../../engine/effects/publish.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/preflight.ts';
import type { Call, Handler } from '../handler.ts';
import { openLandingWorld } from '../landing-world.ts';
import { readState } from '../project.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';
import { nextToPublish } from '../show-summary.ts';
import { startProject } from '../start-project.ts';
import { writeFacts } from '../write-facts.ts';

/** Moves your branch to everything that has landed; lands nothing new. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'publish');
  const project = await startProject(call);
  const { repo, config } = project;
  const { target } = await preflight(repo, config.settings.landing.target);
  const { integration, landed } = await readState(repo);
  if (integration === null || Object.keys(landed).length === 0) {
    if (call.flags['json'] === true) call.out.json({ version: 1, target, outcome: 'nothing', to: null, paths: [] });
    call.out.say('nothing has landed yet');
    return EXIT.ok;
  }
  const event = await publishTo(await openLandingWorld(call, project, target), integration);
  await writeFacts(repo, () => Promise.resolve([event]));
  return tell(call, target, event);
};

function tell(call: Call, target: string, event: PublishEvent): ExitCode {
  const paths = event.type === 'publish-blocked' ? event.paths : [];
  if (call.flags['json'] === true)
    call.out.json({ version: 1, target, outcome: event.type.replace('publish-', ''), to: event.to, paths });
  switch (event.type) {
    case 'published':
      call.out.say(`${target} holds everything that landed, up to ${event.to.slice(0, 10)}`);
      return EXIT.ok;
    case 'publish-blocked':
      call.out.say(
        `${target} was not moved: ${cleanLine(event.why)}${paths.length === 0 ? '' : `: ${cleanLine(paths.join(', '))}`}`,
      );
      call.out.say(`next: ${nextToPublish(paths)}`);
      return EXIT.needsPerson;
    case 'publish-diverged':
      call.out.say(`${target} has commits of its own, which must be merged and tested first. next: ralph land --all`);
      return EXIT.needsPerson;
  }
}

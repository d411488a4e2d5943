import { describeChaos, runChaos } from './chaos.ts';
import { parseOptions } from './options.ts';
import { abandonRounds } from './round.ts';
import type { Programs } from './scene.ts';

const INTERRUPTED = 130;

/** `npm run chaos`: exit 0 when nothing was violated. */
export async function main(argv: readonly string[], programs: Programs): Promise<number> {
  const options = parseOptions(argv);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      abandonRounds();
      process.exit(INTERRUPTED);
    });
  const startedMs = Date.now();
  const end = await runChaos(options, programs, (line) => console.log(line));
  for (const line of describeChaos(end, (Date.now() - startedMs) / 1000)) console.log(line);
  return end.violations.length === 0 ? 0 : 1;
}

// What landing many branches costs: gate runs against named strategies, eight lanes beside a peer, real branches of which
// some fail, and the engine itself on large repositories. `--only A|B|C|D` for one part, `--quick` for a look.
import { measureFailures } from './landing/failures.mjs';
import { measureGateRuns } from './landing/gate-runs.mjs';
import { measureLanes } from './landing/lanes.mjs';
import { measureOverhead } from './landing/overhead.mjs';

const PARTS = { A: measureGateRuns, B: measureLanes, C: measureFailures, D: measureOverhead };

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : null;
if (only != null && !(only in PARTS)) {
  console.error('usage: npm run bench -- landing [--only A|B|C|D] [--quick]');
  process.exit(2);
}
for (const [name, measure] of Object.entries(PARTS)) {
  if (only != null && only !== name) continue;
  try {
    await measure({ quick });
  } catch (error) {
    console.log(`\nlanding ${name}: no figures: ${error.stack ?? error}`);
    process.exitCode = 1;
  }
}

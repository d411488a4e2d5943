// B. Eight lanes end to end, with a gate that takes two seconds; beside them the closest peer on the same lanes.
import { judge, ms, printTable } from '../lib/figures.mjs';
import { assertLanded } from '../lib/repository.mjs';
import { PEER, installPeer, landWithPeer } from './peer.mjs';
import { landAll, makeReady } from './ready-loops.mjs';

const LANES = 8;
const GATE = 'sleep 2';
const RUNS_MAX = 3;

async function ours() {
  const { repository, naps } = await makeReady({ count: LANES, gate: GATE, workers: LANES });
  const { wallMs, gateRuns, code, messages } = await landAll(repository);
  if (code !== 0) throw new Error(`ralph land ended with ${code}\n${messages}`);
  assertLanded(repository, naps);
  return { wallMs, gateRuns };
}

/** Null and the reason on the terminal when the peer cannot be had: our own figure stands without it. */
async function peers() {
  try {
    return await landWithPeer({ count: LANES, gate: GATE, program: await installPeer() });
  } catch (error) {
    console.log(`\n${PEER} is left out: ${error.message}`);
    return null;
  }
}

export async function measureLanes() {
  const peer = await peers();
  const train = await ours();
  const row = (name, { wallMs, gateRuns }, verdict) => [
    name,
    gateRuns,
    ms(wallMs),
    peer == null ? '' : (peer.gateRuns / gateRuns).toFixed(1),
    peer == null ? '' : (peer.wallMs / wallMs).toFixed(2),
    ...verdict,
  ];
  printTable(
    `landing B: ${LANES} lanes, gate \`${GATE}\`, from the command to everything on main`,
    ['', 'gate runs', 'took', 'times fewer runs', 'times faster', 'runs at most', ''],
    [
      ...(peer == null ? [] : [row(`${PEER} (baseline)`, peer, ['', ''])]),
      row('ralph land --all', train, [RUNS_MAX, judge(train.gateRuns, RUNS_MAX)]),
    ],
  );
}

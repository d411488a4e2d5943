import { buildGoPrograms, goBin, goCache } from './go-program.mjs';

/**
 * The `bd` programs some tests drive for real: the newest, and the oldest that is still met. The newest opens its embedded store
 * only when it is built with cgo.
 */
const beads = (version, cgo, flags) => ({
  title: `bd ${version}`,
  program: 'bd',
  module: 'github.com/steveyegge/beads',
  version,
  source: './cmd/bd',
  cgo,
  flags,
  cache: process.env.PARALPH_BEADS_CACHE || goCache('beads'),
  script: 'scripts/beads.mjs',
  without: 'recorded answers are used instead',
});

const newest = () => beads('1.3.0', '1', ['-tags', 'gms_pure_go']);
const oldest = () => beads('0.47.1', '0', []);

/** The folder with a version's `bd`, or null when it is not built. */
export const beadsBin = (version) => goBin(beads(version));

/** `isWanted`: a machine of a person's own is asked for nothing that takes minutes. */
export const buildBeads = (isWanted = process.env.CI === 'true') => buildGoPrograms([newest(), oldest()], isWanted);

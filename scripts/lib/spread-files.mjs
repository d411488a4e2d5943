import { BaseSequencer } from 'vitest/node';

/** What takes longest begins first: at the end nothing would run beside it. */
const LONG = [
  'test/chaos/short',
  'test/clients/landing',
  'test/landing/git/workloads',
  'test/clients/stopping',
  'test/e2e/hosts/soak',
  'test/clients/limits',
  'test/cases/storms',
  'test/e2e/commands/package',
];

const longRank = (file) => {
  const rank = LONG.findIndex((beginning) => file.moduleId.includes(beginning));
  return rank === -1 ? LONG.length : rank;
};

/** How far into its project a file stands, from 0 to 1. */
function placesOf(files) {
  return new Map(
    [...groupByProject(files).values()].flatMap((own) => own.map((file, index) => [file, (index + 0.5) / own.length])),
  );
}

function groupByProject(files) {
  const groups = new Map();
  for (const file of files) groups.set(file.project.name, [...(groups.get(file.project.name) ?? []), file]);
  return groups;
}

/**
 * Files of projects that run together are mixed evenly: those that wait for a client or a clock leave the cores to those
 * that do not.
 */
export class SpreadFiles extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const places = placesOf(sorted);
    const orderOf = (file) => file.project.config.sequence.groupOrder;
    return sorted.toSorted(
      (a, b) => orderOf(a) - orderOf(b) || longRank(a) - longRank(b) || places.get(a) - places.get(b),
    );
  }
}

import { createHash } from 'node:crypto';
import type { GateSettings } from '../../core/model/settings.ts';
import { slug } from '../../core/model/ids.ts';
import { stopNoted } from '../processes/gate-orphans.ts';
import type { Repository } from '../git/run/repository.ts';
import { withOneMutexOf } from '../processes/mutex.ts';
import { lockFile } from '../git/run/state-places.ts';

const DIGEST_CHARS = 8;

/**
 * Runs `act` while holding one place of each thing the gate command uses, by name so that two commands never wait for each
 * other. It is told where to note whose processes use them. Null: the signal came first.
 */
export async function withResources<T>(
  { repo, gates, command }: { readonly repo: Repository; readonly gates: GateSettings; readonly command: string },
  signal: AbortSignal,
  act: (notes: readonly string[]) => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const enter = async (names: readonly string[], notes: readonly string[]): Promise<{ readonly value: T } | null> => {
    const [name, ...rest] = names;
    if (name === undefined) return { value: await act(notes) };
    const held = await withOneMutexOf(placesOf(repo, name, gates.resources[name] ?? 1), signal, async (place) => {
      const note = `${place}.token`;
      await stopNoted(note);
      return enter(rest, [...notes, note]);
    });
    return held?.value ?? null;
  };
  return enter(usedBy(gates, command), []);
}

const usedBy = (gates: GateSettings, command: string): readonly string[] =>
  Object.keys(gates.uses)
    .filter((name) => gates.uses[name]?.some((user) => user.trim() === command.trim()) === true)
    .sort();

function placesOf(repo: Repository, name: string, count: number): readonly string[] {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARS);
  return Array.from({ length: Math.max(1, count) }, (_, at) =>
    lockFile(repo, `resource-${slug(name)}-${digest}-${at + 1}`),
  );
}

import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors.ts';
import type { HostPolicy } from '../../core/model.ts';
import type { Settings } from '../../core/settings.ts';

export interface PolicyFacts {
  readonly settings: Settings;
  readonly tracker: string;
  readonly target: string;
  readonly agent: string;
}

/** What the settings ask of a host that runs loops. One slot unless parallel work was opted into. */
export function runPolicy({ settings, tracker, target, agent }: PolicyFacts): HostPolicy {
  return {
    tracker,
    slots: settings.parallel.enabled ? settings.parallel.maxWorkers : 1,
    strategy: settings.parallel.strategy,
    mergePolicy: settings.parallel.mergePolicy,
    limits: settings.limits,
    target,
    publish: settings.landing.publish,
    method: settings.landing.method,
    agent,
    gatesHash: createHash('sha256').update(JSON.stringify(settings.gates.commands)).digest('hex').slice(0, 12),
    hasGates: settings.gates.commands.length > 0,
  };
}

/** What the settings name and this version cannot do is refused before anything starts. */
export function refuseUnsupported(settings: Settings): void {
  if (settings.parallel.mergePolicy === 'pr')
    throw new AppError(
      'E_UNSUPPORTED',
      'merge_policy "pr" is not supported yet; manual keeps the branches ready, auto_merge lands them',
      { remedy: 'ralph config set parallel.merge_policy manual' },
    );
}

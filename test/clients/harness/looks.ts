import { processesOf } from '../../e2e/harness/processes.ts';
import { until } from '../../e2e/harness/until.ts';
import type { FoundProcess } from '../../e2e/harness/processes.ts';
import type { Arena } from './arena.ts';

export interface CostFigures {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

export interface Cost {
  readonly total: CostFigures;
  readonly agents: readonly ({ readonly agent: string } & CostFigures)[];
  readonly tasks: readonly {
    readonly task: string;
    readonly usage: CostFigures;
    readonly loops: readonly { readonly iterations: readonly unknown[] }[];
  }[];
}

export interface Status {
  readonly accounts: readonly { readonly account: string; readonly kind: string; readonly until: number | null }[];
  readonly workers: readonly {
    readonly loop: string;
    readonly task: string;
    readonly iteration: number;
    readonly progress: string | null;
  }[];
}

export async function costOf(one: Arena): Promise<Cost> {
  return JSON.parse((await one.ralph(['cost', '--json'])).stdout) as Cost;
}

export async function statusOf(one: Arena): Promise<Status> {
  return JSON.parse((await one.ralph(['status', '--json'])).stdout) as Status;
}

/** Processes that carry the mark of a loop. */
export const loopProcesses = (one: Arena): FoundProcess[] => processesOf(one.root).filter((found) => found.isLoops);

/** How often a client began a conversation about the task. */
export const begun = (one: Arena, task: string): number =>
  one.model.asked(task).filter((asked) => asked.turn === 0).length;

/** Processes that are the same in two looks: what a client forks for a moment looks like itself until it is something else. */
export async function lasting(look: () => readonly number[]): Promise<readonly number[]> {
  let before = '';
  return until('processes that stay', () => {
    const now = look();
    const isSame = now.length > 0 && now.join() === before;
    before = now.join();
    return isSame ? now : null;
  });
}

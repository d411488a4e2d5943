import { askUpstream } from './ask-upstream.ts';
import type { UpstreamOrder } from './ask-upstream.ts';
import { AppError } from '../../core/model/errors.ts';
import { realClock } from '../os/clock.ts';

/** Trains that follow each other need not all ask. */
const ASK_EVERY_MS = 15_000;
/** Who did not answer is not waited for with every train. */
const AFTER_FAILURE_MS = 600_000;

/**
 * Asks the remote branch that the target follows, as a train is built: the same task may have been done and pushed elsewhere since this
 * run began, and would land twice. What was fetched before work began does not count.
 */
export function createAsking(order: Omit<UpstreamOrder, 'signal'>): () => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (realClock.awakeMs() < nextMs) return;
    const isAnswered = await hasAnswered(order);
    nextMs = realClock.awakeMs() + (isAnswered ? ASK_EVERY_MS : AFTER_FAILURE_MS);
  };
}

async function hasAnswered(order: Omit<UpstreamOrder, 'signal'>): Promise<boolean> {
  try {
    const news = await askUpstream({ ...order, signal: new AbortController().signal, freshMs: 0 });
    return news?.failure === null;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

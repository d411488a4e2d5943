import type { Handler } from '../../call/handler.ts';
import type { LandAnswer } from './land.ts';
import { handle as land } from './land.ts';

/** Lands everything that is ready. */
export const handle: Handler<LandAnswer> = (call) => land({ ...call, flags: { ...call.flags, all: true } });

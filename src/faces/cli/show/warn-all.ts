import { cleanLine } from '../../../text/screen/clean.ts';
import type { Call } from '../../call/handler.ts';

export function warnAll(call: Call, warnings: readonly string[]): void {
  for (const text of warnings) call.out.say(call.out.style.yellow(`warning: ${cleanLine(text)}`));
}

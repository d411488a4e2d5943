import { it } from 'vitest';

type Body = () => void | Promise<void>;
type It = (name: string, body: Body, timeoutMs?: number) => void;

const skipped =
  (reason: string): It =>
  (name) =>
    it(name, ({ skip }) => skip(reason));

const missing =
  (what: string): It =>
  (name) =>
    it(name, () => {
      throw new Error(`needs ${what}, which must be there when CI=true`);
    });

/** `it` for a test that needs a tool: without it the reason is printed, and with CI=true the test fails. */
export function itNeeds(what: string, isThere: boolean): It {
  if (isThere) return it;
  return process.env['CI'] === 'true' ? missing(what) : skipped(`needs ${what}`);
}

/** `it` for a test that needs a right no script can give a machine (to mount, to make namespaces); without it the reason is printed. */
export const itAllowed = (what: string, isAllowed: boolean): It => (isAllowed ? it : skipped(`needs ${what}`));

/** `it` for a test about one kind of system; on others the reason is printed. */
export const itOn = (platform: NodeJS.Platform): It =>
  process.platform === platform ? it : skipped(`is about ${platform}`);

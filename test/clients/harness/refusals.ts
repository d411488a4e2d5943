import { KEY } from './clients.ts';
import type { Refusal } from '../model-server/scenario.ts';

/** Claude tells when a limit is over only to those who log in with a subscription. */
export const SUBSCRIPTION = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: KEY };

/** The five-hour limit of a subscription, over this long after the first time it is met. */
export function usageLimit(afterSeconds: number): { readonly refusal: Refusal; readonly resetsAtMs: () => number } {
  let reset: number | null = null;
  const headers = (): Readonly<Record<string, string>> => {
    reset ??= Math.ceil(Date.now() / 1000) + afterSeconds;
    return {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(reset),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'rejected',
      'anthropic-ratelimit-unified-5h-reset': String(reset),
      'anthropic-ratelimit-unified-5h-utilization': '1.0',
      'anthropic-ratelimit-unified-7d-status': 'allowed',
      'anthropic-ratelimit-unified-7d-utilization': '0.4',
      'anthropic-ratelimit-unified-overage-status': 'rejected',
      'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
      'retry-after': String(afterSeconds),
      'x-should-retry': 'false',
    };
  };
  const error = { type: 'rate_limit_error', message: "This request would exceed your account's rate limit." };
  return {
    refusal: { status: 429, headers, body: { type: 'error', error } },
    resetsAtMs: () => (reset ?? 0) * 1000,
  };
}

export const REFUSED_KEY: Refusal = {
  status: 401,
  body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
};

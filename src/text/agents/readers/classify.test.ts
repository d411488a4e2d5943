import { describe, expect, it } from 'vitest';
import type { FailureKind } from '../../../core/model/failure.ts';
import { classifyMessage, kindOfStatus } from './classify.ts';

const CASES: readonly (readonly [string, FailureKind])[] = [
  ["You've hit your limit · resets 9:53pm (UTC)", 'limit'],
  ["You've hit your 5-hour limit · resets 9:53pm (UTC)", 'limit'],
  ["You've hit your weekly limit · resets Nov 18, 8:55pm (UTC)", 'limit'],
  ["Internal error: You've hit your session limit · resets 9:53pm (UTC)", 'limit'],
  ['5-hour limit reached ∙ resets 9pm', 'limit'],
  ['Claude AI usage limit reached|1794779607', 'limit'],
  ['You’ve hit your usage limit. Upgrade to Pro or try again at 10:06 PM.', 'limit'],
  ['usageLimitExceeded', 'limit'],
  ['Quota exceeded. Check your plan and billing details.', 'limit'],
  ['You exceeded your current quota, please check your plan and billing details.', 'limit'],
  ['[API Error: You have exhausted your daily quota on this model.]', 'limit'],
  ['Credit balance is too low', 'limit'],
  ["This request would exceed your organization's rate limit of 30,000 input tokens per minute.", 'rate'],
  ['Number of request tokens has exceeded your per-minute rate limit', 'rate'],
  ['Rate limit reached for gpt-5.1-codex in organization org-x on tokens per min (TPM)', 'rate'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'rate'],
  ['Resource has been exhausted (e.g. check quota).', 'rate'],
  ['rate_limit', 'rate'],
  ['Not logged in · Please run /login', 'auth'],
  ['Invalid API key · Fix external API key', 'auth'],
  ['invalid x-api-key', 'auth'],
  ['[API Error: 401 Incorrect API key provided: dummy.]', 'auth'],
  ['unexpected status 401 Unauthorized', 'auth'],
  ['API key not valid. Please pass a valid API key.', 'auth'],
  ['Authentication failed with provider at a host (HTTP 401).', 'auth'],
  ['Missing environment variable: `KEY`', 'auth'],
  ['OAuth token has expired', 'auth'],
  ['API Error: 529 Overloaded', 'overloaded'],
  ['We are experiencing high demand', 'overloaded'],
  ['Error: 503 nope', 'overloaded'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'overloaded'],
  ['Prompt is too long · the request is ~210000 tokens (limit 200000)', 'context'],
  ['Your input exceeds the context window of this model.', 'context'],
  ["There's an issue with the selected model (x). It may not exist or you may not have access to it.", 'model'],
  ['model_not_found', 'model'],
  ['Reached max session turns for this session.', 'turns'],
  ['Reached maximum budget ($0.006)', 'budget'],
  ['server exploded', 'other'],
  ['the answer is 401', 'other'],
  ['', 'other'],
];

describe('classifyMessage', () => {
  it.each(CASES)('%j: %s', (text, kind) => expect(classifyMessage(text)).toBe(kind));

  it('lets the words go before the status', () => {
    expect(classifyMessage("You've hit your 5-hour limit", 429)).toBe('limit');
    expect(classifyMessage('nothing to say', 429)).toBe('rate');
    expect(classifyMessage('nothing to say', 401)).toBe('auth');
  });
});

describe('kindOfStatus', () => {
  it.each([
    [400, 'other'],
    [401, 'auth'],
    [402, 'limit'],
    [403, 'auth'],
    [413, 'context'],
    [429, 'rate'],
    [500, 'overloaded'],
    [529, 'overloaded'],
    [0, 'other'],
  ])('%s: %s', (status, kind) => expect(kindOfStatus(status)).toBe(kind));
});

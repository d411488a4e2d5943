import { describe, expect, it } from 'vitest';
import { cleanText, redact } from './clean.ts';

const key = (prefix: string, length: number): string => prefix + 'A1b2'.repeat(length / 4);

describe('redact', () => {
  it.each([
    [`export X=${key('sk-', 24)}`, 'export X=sk-A[redacted]'],
    [key('ghp_', 36), 'ghp_[redacted]'],
    ['AKIAIOSFODNN7EXAMPLE is used', 'AKIA[redacted] is used'],
    ['git clone https://me:hunter2hunter2@example.com/x', 'git clone https://me:[redacted]@example.com/x'],
    ['DB_PASSWORD=correct-horse', 'DB_PASSWORD=[redacted]'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['signing-key: 0123456789', 'signing-key: [redacted]'],
    ['curl -H "Authorization: Bearer 0123456789abcdef"', 'curl -H "Authorization: Bearer [redacted]"'],
    [key('sk_live_', 24), 'sk_l[redacted]'],
    [key('hf_', 36), 'hf_A[redacted]'],
    ['{"api_key": "0123456789"}', '{"api_key": "[redacted]"}'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----',
    ],
  ])('trip 14: hides what looks like a key: %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
    expect(cleanText(text)).toBe(shown);
  });

  it.each([
    'the token is wrong',
    'tokens: 1234',
    'sk-learn is a package',
    'see https://example.com:8080/path',
    'commit 0123456789abcdef0123456789abcdef01234567',
    'secret: yes',
    'the bearer of good news',
    'key: 0123456789',
  ])('leaves the rest alone: %s', (text) => expect(redact(text)).toBe(text));
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient } from '../../../src/world/forge/client.ts';
import type { ForgeClient } from '../../../src/world/forge/client.ts';

interface Canned {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server that gives these answers one after the other, the last one for ever. */
async function serving(
  answers: readonly Canned[],
): Promise<{ readonly client: ForgeClient; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(`${request.method ?? ''} ${request.headers['if-none-match'] ?? ''}`.trim());
    response.writeHead(answer?.status ?? 500, { 'content-type': 'application/json', ...answer?.headers });
    response.end(JSON.stringify(answer?.body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const apiUrl = `http://127.0.0.1:${port}`;
  return { client: openClient({ host: 'forge.test', apiUrl, token: 'top-secret', scheme: 'bearer' }), asked };
}

describe('what speaks to a forge', () => {
  it('A19.3 halts where it is told to wait, and says until when', async () => {
    const limited = {
      status: 429,
      headers: { 'retry-after': '90' },
      body: { message: 'You have exceeded a secondary rate limit' },
    };
    const { client, asked } = await serving([limited]);
    await expect(client.get('/user')).rejects.toThrow('forge.test asks to wait');
    expect(asked).toHaveLength(1);
    const { held } = client.budget();
    expect(held?.kind).toBe('rate');
    expect((held?.untilMs ?? 0) - Date.now()).toBeGreaterThan(60_000);
  });

  it('A19.3 halts until the hour is over where its requests are used up', async () => {
    const resetS = Math.floor(Date.now() / 1000) + 1800;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': String(resetS) };
    const { client } = await serving([{ status: 403, headers, body: { message: 'API rate limit exceeded' } }]);
    await expect(client.get('/user')).rejects.toThrow('asks to wait');
    expect(client.budget().held?.kind).toBe('limit');
    expect(client.budget().isScarce).toBe(true);
  });

  it('A19.3 an answer that did not change costs nothing, and is the one from before', async () => {
    const { client, asked } = await serving([
      { status: 200, headers: { etag: '"one"' }, body: { login: 'octo' } },
      { status: 304, headers: { etag: '"one"' } },
    ]);
    expect(await client.get('/user')).toEqual({ login: 'octo' });
    expect(await client.get('/user')).toEqual({ login: 'octo' });
    expect(asked).toEqual(['GET', 'GET "one"']);
    expect(client.budget().charged).toBe(1);
  });

  it('A19.2 sends an act once, whatever comes of it', async () => {
    const { client, asked } = await serving([{ status: 502, body: { message: 'Bad gateway' } }]);
    await expect(client.send('POST /repos/o/r/pulls', { title: 'x' })).rejects.toThrow('answers 502');
    expect(asked).toEqual(['POST']);
  });

  it.each([
    [404, 'Not Found'],
    [422, 'Validation Failed'],
  ])('A19.3 tells what was refused with %i, and never the token', async (status, message) => {
    const { client } = await serving([{ status, body: { message, errors: [{ message: 'because of top things' }] } }]);
    const answer = await client.send('POST /repos/o/r/pulls', {});
    expect(answer).toMatchObject({ status, message: `${message}: because of top things` });
    await expect(client.get('/user')).rejects.toThrow(`answers ${status}`);
    await expect(client.get('/user')).rejects.not.toThrow('top-secret');
  });
});

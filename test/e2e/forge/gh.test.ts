import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { isThere } from '../../../scripts/lib/tools.mjs';
import { itNeeds } from '../../needs.ts';
import { beside } from '../harness/ralph.ts';
import { forgeProject } from './project.ts';

/** Versions of distributions speak to no plain http address, but to whoever listens on a socket of this machine. */
async function onSocket(socket: string, url: string): Promise<void> {
  const { port } = new URL(url);
  const server = createServer((asked, answer) => {
    const { method, headers, url: path } = asked;
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

describe('the program that people have', () => {
  itNeeds('gh', isThere('gh'))('A19.7 gh api sees what we made', async () => {
    const { forge, place, run } = await forgeProject({ tasks: ['a'], config: { 'forge.pr': { labels: ['ours'] } } });
    expect((await run(['run'])).code).toBe(0);
    const [socket, config] = [beside(place, 'gh.sock'), beside(place, 'gh')];
    await onSocket(socket, forge.url);
    mkdirSync(config);
    writeFileSync(join(config, 'config.yml'), `http_unix_socket: ${socket}\nprompt: disabled\n`);
    const env = {
      ...place.env,
      GH_CONFIG_DIR: config,
      GH_HOST: 'forge.test',
      GH_ENTERPRISE_TOKEN: 'octo-token',
      GH_NO_UPDATE_NOTIFIER: '1',
    };
    const gh = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await promisify(execFile)('gh', ['api', ...args], { env, cwd: place.root })).stdout);
    const [pull] = forge.pulls;
    expect(await gh('repos/octo/shop/pulls?state=open')).toMatchObject([
      { number: 1, state: 'open', head: { ref: pull?.branch }, base: { ref: 'main' } },
    ]);
    expect(await gh('repos/octo/shop/pulls/1')).toMatchObject({
      title: 'Make a',
      body: expect.stringContaining('## Asked: Make a (a)') as string,
      labels: [{ name: 'ours' }],
    });
    forge.setCheck(pull === undefined ? '' : forge.headOf(pull), 'ci', 'success');
    expect((await run(['merger'])).code).toBe(0);
    expect(await gh('repos/octo/shop/pulls/1')).toMatchObject({ merged: true, merge_commit_sha: pull?.merged });
  });
});

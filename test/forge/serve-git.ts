import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rules } from './github-types.ts';

/** What git itself serves; nobody pushes to a protected target. */
export function serveGit(
  projects: string,
  { isProtected }: Rules,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: projects,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'octo',
      GIT_CONFIG_COUNT: isProtected ? '1' : '0',
      GIT_CONFIG_KEY_0: 'receive.hideRefs',
      GIT_CONFIG_VALUE_0: 'refs/heads/main',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  let isHeadDone = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isHeadDone) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    isHeadDone = true;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const status = Number((headers['Status'] ?? '200').split(' ')[0]);
    delete headers['Status'];
    response.writeHead(status, headers);
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}

import type { IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const ok = (data: unknown): Answer => ({ status: 200, data });
export const refuse = (status: number, message: string): Answer => ({ status, data: { message } });
export const missing = refuse(404, 'Not Found');
export const invalid = (error: object): Answer => ({
  status: 422,
  data: { message: 'Validation Failed', errors: [error] },
});

export function hash(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return `${text.length}-${sum}`;
}

export function textIn(body: Readonly<Record<string, unknown>>, name: string, fallback: string): string {
  const { [name]: value } = body;
  return typeof value === 'string' ? value : fallback;
}

export async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Who merges there. */
export const WHO = {
  GIT_AUTHOR_NAME: 'forge',
  GIT_AUTHOR_EMAIL: 'forge@example.com',
  GIT_COMMITTER_NAME: 'forge',
  GIT_COMMITTER_EMAIL: 'forge@example.com',
};

import { spawn, spawnSync } from 'node:child_process';
import type { Writable } from 'node:stream';

import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';

export const hasChromium = spawnSync('chromium', ['--version']).status === 0;

export interface Page {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

export interface Seen {
  /** Everything it asked for beside the page itself. */
  readonly requests: readonly string[];
  /** What the page, or the browser about it, wrote to the console. */
  readonly messages: readonly string[];
  /** Wider than its window. */
  readonly isTooWide: boolean;
  readonly text: string;
  readonly png: Buffer;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** Opens a file from the disk in a real browser, and tells what that did. */
export async function openInChromium(scratch: Scratch, file: string, { width, scheme }: Page): Promise<Seen> {
  const browser = spawn(
    'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--remote-debugging-pipe',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
      `--user-data-dir=${beside(scratch, `chromium-${width}-${scheme}`)}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...scratch.env, HOME: scratch.root } },
  );
  const ended = new Promise<void>((resolve) => browser.on('close', () => resolve()));
  try {
    return await look(browser.stdio[3] as Writable, browser.stdio[4] as NodeJS.ReadableStream, file, { width, scheme });
  } finally {
    browser.kill('SIGKILL');
    await ended;
  }
}

async function look(to: Writable, from: NodeJS.ReadableStream, file: string, { width, scheme }: Page): Promise<Seen> {
  const waiting = new Map<number, (message: Message) => void>();
  const [requests, messages]: [string[], string[]] = [[], []];
  const url = `file://${file}`;
  let loaded: () => void = () => {};
  let [rest, last] = ['', 0];
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) hear(JSON.parse(part) as Message);
  });
  const hear = ({ id, method = '', params = {}, ...message }: Message): void => {
    if (id !== undefined) return waiting.get(id)?.(message);
    if (method === 'Page.loadEventFired') loaded();
    if (method === 'Network.requestWillBeSent') requests.push((params['request'] as { readonly url: string }).url);
    if (['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'].includes(method))
      messages.push(JSON.stringify(params));
  };
  const ask = async (method: string, params: object = {}, sessionId?: string): Promise<Message['result'] & object> => {
    last += 1;
    const id = last;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { error, result = {} } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method: string, params: object = {}) => ask(method, params, String(sessionId));
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await tell(`${domain}.enable`);
  await tell('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
  await tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  const isLoaded = new Promise<void>((resolve) => (loaded = resolve));
  await tell('Page.navigate', { url });
  await isLoaded;
  const valueOf = async (expression: string): Promise<unknown> =>
    ((await tell('Runtime.evaluate', { expression, returnByValue: true }))['result'] as { readonly value?: unknown })
      .value;
  const isTooWide = (await valueOf('document.documentElement.scrollWidth > innerWidth')) === true;
  const text = String(await valueOf('document.body.innerText'));
  const shot = await tell('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
  const png = Buffer.from(String(shot['data']), 'base64');
  return {
    requests: requests.filter((one) => one !== url && !one.startsWith('data:')),
    messages,
    isTooWide,
    text,
    png,
  };
}

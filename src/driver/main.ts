import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { TalkSpec } from '../text/agents/talk/talk-spec.ts';
import { converse } from './converse.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const tell = (message: string): void => void process.stderr.write(`driver: ${message}\n`);

/** Holds a conversation with a client in place of the host, which may come and go: `driver RUN-FOLDER`, prompt on standard input. */
async function main(argv: readonly string[]): Promise<number> {
  const [folder, ...rest] = argv;
  if (folder === undefined || rest.length > 0) {
    tell('usage: driver RUN-FOLDER');
    return EXIT_USAGE;
  }
  // Before anything else: a signal that comes while the prompt is read must not leave a client behind.
  let isStopped = false;
  let stop = (): void => {
    isStopped = true;
  };
  for (const signal of SIGNALS) process.on(signal, () => stop());
  const spec = JSON.parse(readFileSync(join(folder, 'talk.json'), 'utf8')) as TalkSpec;
  const prompt = await readPrompt();
  if (isStopped) return EXIT_FAILED;
  const { interrupt, ended } = converse(spec, prompt, { inboxFolder: join(folder, 'inbox'), tell });
  stop = interrupt;
  return await ended;
}

async function readPrompt(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

// Where our own words cannot be written, there is nobody to tell it.
process.stderr.on('error', () => {});

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  tell(error instanceof Error ? error.message : String(error));
  process.exit(EXIT_FAILED);
}

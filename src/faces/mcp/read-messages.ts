import { type Readable, Transform } from 'node:stream';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { type Refusal, refusalOf } from './refuse-message.ts';

const NEWLINE = 10;

/** The lines that are messages; the transport of the SDK drops all others without a word to whoever sent them. */
export function messagesOf(source: Readable, refuse: (refusal: Refusal) => void): Transform {
  const begun: Buffer[] = [];
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...begun.splice(0), chunk.subarray(from, end + 1)]);
        from = end + 1;
        const refusal = refusalOf(line.toString('utf8'));
        if (refusal === null) this.push(line);
        else refuse(refusal);
      }
      if (from < chunk.length) begun.push(chunk.subarray(from));
      const bytes = begun.reduce((sum, { length }) => sum + length, 0);
      // The transport hangs up at a line that has no end; it must get to see it.
      if (bytes > STDIO_DEFAULT_MAX_BUFFER_SIZE) for (const part of begun.splice(0)) this.push(part);
      done();
    },
  });
  // A pipe ends what it leads to only at a proper end.
  source.once('error', () => lines.end());
  source.once('close', () => lines.end());
  return source.pipe(lines);
}

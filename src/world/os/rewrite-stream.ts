import { Transform } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Rewrite } from '../../text/screen/paint-diff.ts';

/** Writes all it has into a stream and leaves that open; comes back also when nobody listens any more. */
export type Write = (sink: Writable) => Promise<void>;

const UNHEARD = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']);

/** The same, changed on its way. Whoever has seen enough closes the stream: that is no failure. */
export const rewriting =
  (write: Write, { take, rest }: Rewrite): Write =>
  async (sink) => {
    const decoder = new StringDecoder('utf8');
    const through = new Transform({
      transform: (chunk: Buffer, _encoding, done) => done(null, take(decoder.write(chunk))),
      flush: (done) => done(null, take(decoder.end()) + rest()),
    });
    const passed = pipeline(through, sink, { end: false }).catch((error: NodeJS.ErrnoException) => {
      if (!UNHEARD.has(error.code ?? '')) throw error;
    });
    await Promise.all([passed, write(through).finally(() => through.end())]);
  };

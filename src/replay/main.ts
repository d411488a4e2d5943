import { spawnSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import process from 'node:process';
import { readRecord } from '../text/record/read-record.ts';
import type { LoopRecord, RecordedBytes, RecordedIteration, RecordedVerb } from '../text/record/record.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

class ReplayError extends Error {}

/** Does again what a recorded iteration did: prints what it printed, changes what it changed, says what it said. */
function main([file]: readonly string[]): number {
  if (file === undefined) {
    tell('usage: replay RECORD, inside a loop');
    return EXIT_USAGE;
  }
  const iteration = chosen(file, readFile(file));
  // Whoever started us writes the prompt, and must not find that nobody reads it.
  readFileSync(0);
  applyPatch(iteration);
  for (const verb of iteration.verbs) say(verb);
  print(2, iteration.stderr);
  print(1, iteration.stdout);
  if (iteration.exit === null) tell(`iteration ${iteration.n} did not end by itself when it was recorded`);
  return iteration.exit ?? EXIT_FAILED;
}

function readFile(file: string): LoopRecord {
  const read = readRecord(readFileSync(file, 'utf8'));
  if (!read.ok) throw new ReplayError(`${file}:${read.line}: ${read.problem}`);
  return read.record;
}

function chosen(file: string, { iterations }: LoopRecord): RecordedIteration {
  const n = Number(process.env['RALPH_ITERATION'] ?? '');
  const found = iterations.find((iteration) => iteration.n === n);
  if (found === undefined) throw new ReplayError(`${file} has no iteration ${n}: it ends with ${iterations.length}`);
  return found;
}

function applyPatch({ n, patch }: RecordedIteration): void {
  if (patch === null) throw new ReplayError(`what iteration ${n} changed was not recorded`);
  const input = bytesOf(patch);
  if (input.length === 0) return;
  // Staged, so that what is ignored and was committed all the same is committed again.
  const { status, stderr } = spawnSync('git', ['apply', '--index', '--whitespace=nowarn', '-'], { input });
  if (status !== 0) throw new ReplayError(`the patch of iteration ${n} does not apply here:\n${String(stderr)}`);
}

/** By the command of ours that leads the PATH of every agent. What it answers is in the record already. */
function say([verb, text]: RecordedVerb): void {
  const { status, error, stderr } = spawnSync('ralph', [verb, '--', text], { encoding: 'utf8' });
  if (status !== 0) throw new ReplayError(`ralph ${verb} failed: ${error?.message ?? stderr}`);
}

const bytesOf = (bytes: RecordedBytes): Buffer =>
  typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.base64, 'base64');

/** All of it, also into a pipe that is read slowly. */
function print(fd: number, recorded: RecordedBytes): void {
  const bytes = bytesOf(recorded);
  for (let at = 0; at < bytes.length; at += writeSync(fd, bytes, at));
}

const tell = (message: string): void => void process.stderr.write(`replay: ${message}\n`);

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  tell(error instanceof Error ? error.message : String(error));
  process.exitCode = EXIT_FAILED;
}

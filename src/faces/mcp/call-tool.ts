import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { AppError } from '../../core/model/errors.ts';
import type { Answer, Call } from '../call/handler.ts';
import { callCommand, makeCall } from '../call/make-call.ts';
import { collectOutput } from '../call/output.ts';
import { wordsFrom } from './parameters.ts';
import type { Tool } from './tools.ts';

interface ToolPlace extends Pick<Call, 'cwd' | 'env' | 'signal'> {
  /** Hears what a command says while it works. */
  readonly onSay: (text: string) => void;
}

/** Calls the command of a tool, and hands on what it answers. */
export async function callTool(
  tool: Tool,
  sent: Readonly<Record<string, unknown>>,
  { onSay, ...place }: ToolPlace,
): Promise<CallToolResult> {
  const { spec } = tool;
  const { out, printed, said, json } = collectOutput(onSay);
  const { args, flags } = wordsFrom(tool, sent);
  // What is long prints its data by itself, if asked for it.
  const told = { spec, args, flags: { ...flags, json: true } };
  const call = makeCall(told, { ...place, out, words: spec.name.split(' ') });
  const given = await callCommand(spec, call);
  const answer: Answer = typeof given === 'number' ? { data: json[0] ?? null, exit: given } : given;
  const lines = [...printed, ...said, answer.text ?? '', ...(answer.says ?? [])].filter((line) => line !== '');
  if (answer.error != null) lines.push(`error[${answer.error.code}]: ${answer.error.message}`);
  return {
    content: [{ type: 'text', text: lines.length === 0 ? 'nothing found' : lines.join('\n') }],
    ...(answer.data === null ? {} : { structuredContent: { version: 1, ...answer.data } }),
    ...(answer.error == null ? {} : { isError: true }),
  };
}

/** In words for the model, and in the shape that `--json` has on standard error. */
export function refusal({ code, message, facts, remedy, exit }: AppError): CallToolResult {
  const lines = [`error[${code}]: ${message}`, ...facts, ...(remedy === null ? [] : [`fix: ${remedy}`])];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { version: 1, error: { code, message, facts, remedy, exit } },
    isError: true,
  };
}

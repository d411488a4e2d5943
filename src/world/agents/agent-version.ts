import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { AgentSettings } from '../../core/model/settings.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { agentEnvironment } from '../processes/environment.ts';

const TIMEOUT_MS = 10_000;
const OUTPUT_BYTES_MAX = 64 * 1024;
const VERSION_CHARS_MAX = 80;

/**
 * What the client says to `--version`; null: nothing of use. A text agent is not asked: it is any program, and might take
 * the word for work.
 */
export async function askVersion(agent: AgentSettings, path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (agent.driver === 'text' || agent.driver === 'jsonl') return null;
  const options = {
    cwd: tmpdir(),
    env: agentEnvironment(env, { set: agent.env, pass: agent.passEnv }),
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
    encoding: 'utf8',
  } as const;
  const said = await new Promise<string>((resolve) => {
    const child = execFile(path, ['--version'], options, (error, stdout) => resolve(error === null ? stdout : ''));
    child.stdin?.end();
  });
  const line = said
    .split('\n')
    .map(cleanLine)
    .find((one) => /\d/.test(one));
  return line === undefined ? null : line.slice(0, VERSION_CHARS_MAX);
}

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const RELAY = join(import.meta.dirname, 'relay.mjs');
/** Those who are not root often have no path to it. */
const UP_THEN = 'PATH="$PATH:/usr/sbin:/sbin" ip link set lo up && exec "$@"';

/** Ways to a network with nothing but loopback: as root, else in a user namespace of one's own. */
const WAYS = [
  { enter: ['unshare', '-n'], join: ['-n'] },
  { enter: ['unshare', '-rn'], join: ['-U', '--preserve-credentials', '-n'] },
];

export interface Network {
  /** Where clients reach the model server. */
  readonly port: number;
  /** Before the command line of whatever shall run in there. */
  readonly prefix: readonly string[];
  readonly close: () => void;
}

let way: (typeof WAYS)[number] | null | undefined;

/** The way this machine allows; null: none. */
function allowedWay(): (typeof WAYS)[number] | null {
  way ??= WAYS.find(({ enter: [program = '', ...flags] }) => {
    const { status } = spawnSync(program, [...flags, 'sh', '-c', UP_THEN, 'sh', 'true'], { stdio: 'ignore' });
    return status === 0;
  });
  return way ?? null;
}

export const canIsolate = (): boolean => process.platform === 'linux' && allowedWay() !== null;

/** A network in which only loopback exists, and on it a port that leads to the socket file. */
export async function isolatedNetwork(socket: string): Promise<Network> {
  const chosen = allowedWay();
  if (chosen === null) throw new Error('this machine has no network namespaces');
  const [program = '', ...flags] = chosen.enter;
  const argv = [...flags, 'sh', '-c', UP_THEN, 'sh', process.execPath, RELAY, socket];
  const relay = spawn(program, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await firstLine(relay);
  return {
    port: Number(port),
    prefix: ['nsenter', '-t', String(relay.pid), ...chosen.join, '--'],
    close: () => void relay.kill('SIGKILL'),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (part: Buffer) => {
      said += part.toString();
      if (said.includes('\n')) resolve(said.trim());
    });
    child.on('close', (code) => reject(new Error(`the relay ended with ${code}`)));
  });
}

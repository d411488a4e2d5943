import { createServer } from 'node:net';
import type { PortRange } from '../../text/feature/free-ports.ts';

/** Everywhere at once, and this machine alone: some systems let a program have the one while another has the other. */
const HOSTS = [undefined, '127.0.0.1'] as const;

/** Whether nobody listens on any port of a range. Where that cannot be found out nobody does. */
export async function isSilent({ portBase, portStep }: PortRange): Promise<boolean> {
  for (let port = portBase; port < portBase + portStep; port += 1)
    for (const host of HOSTS) if (await isTaken(port, host)) return false;
  return true;
}

function isTaken(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

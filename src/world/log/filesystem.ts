import { statfsSync } from 'node:fs';
import { release } from 'node:os';

const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
]);
const NINE_P = 0x01021997;

/** The name of a filesystem on which another machine's changes show late, so that a listing proves nothing; else null. */
export function unfitFilesystem(type: number, kernel: string): string | null {
  // Virtual machines use 9p for plain disks too; in WSL it is a Windows drive.
  if (type === NINE_P) return /microsoft/i.test(kernel) ? 'a Windows drive' : null;
  return NETWORK.get(type >>> 0) ?? null;
}

/** The same for a path; only Linux numbers its filesystems like this. */
export function unfitFilesystemOf(path: string): string | null {
  return process.platform === 'linux' ? unfitFilesystem(statfsSync(path).type, release()) : null;
}

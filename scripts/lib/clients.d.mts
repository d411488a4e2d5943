export interface ClientPackage {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly required: boolean;
  readonly finish: string | null;
}

export const CLIENTS: readonly ClientPackage[];
export function clientsCache(env?: Readonly<Record<string, string | undefined>>): string;
export function clientBin(client: ClientPackage): string | null;
export function installClients(): Promise<readonly string[]>;

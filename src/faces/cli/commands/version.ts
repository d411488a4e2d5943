import { runGit } from '../../../world/git/run/run-git.ts';
import { installedAgents } from '../../../world/agents/choose-agent.ts';
import type { Handler } from '../../call/handler.ts';

declare const __VERSION__: string;

interface Version {
  readonly paralph: string;
  readonly node: string;
  readonly platform: string;
  /** null: it is not installed. */
  readonly git: string | null;
  /** Those known by name that are installed. */
  readonly agents: readonly string[];
}

/** What a report of a bug begins with. */
export const handle: Handler<Version> = async ({ env, cwd }) => {
  const data: Version = {
    paralph: __VERSION__,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    git: await gitVersion(),
    agents: installedAgents(env, cwd),
  };
  return { data, text: __VERSION__ };
};

async function gitVersion(): Promise<string | null> {
  try {
    const { stdout } = await runGit(['version'], { cwd: '/' });
    return /\d+\.\d+\S*/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}

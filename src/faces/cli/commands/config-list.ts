import { columns } from '../../call/output.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';

interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly origin?: string;
}

export const handle: Handler<{ readonly settings: readonly Setting[] }> = async (call) => {
  const { config } = await openProject(call);
  const rows = [...config.values].map(([key, value]) => {
    const origin = config.origins.get(key);
    const where = origin === undefined ? 'default' : origin.line > 0 ? `${origin.name}:${origin.line}` : origin.name;
    // A list is pasted into bug reports; what an agent is given may be secret.
    return { key, value: /^agents\.[^.]+\.env\./.test(key) ? '(set)' : value, where };
  });
  const isShown = call.flags['showOrigin'] === true;
  return {
    data: { settings: rows.map(({ key, value, where }) => (isShown ? { key, value, origin: where } : { key, value })) },
    text: columns(
      rows.map(({ key, value, where }) => [...(isShown ? [where] : []), `${key} = ${JSON.stringify(value)}`]),
    ),
  };
};

import { EXIT } from '../../../core/model/errors.ts';
import { columns } from '../../call/output.ts';
import type { Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';

export const handle: Handler = async (call) => {
  const { config } = await openProject(call);
  const rows = [...config.values].map(([key, value]) => {
    const origin = config.origins.get(key);
    const where = origin === undefined ? 'default' : origin.line > 0 ? `${origin.name}:${origin.line}` : origin.name;
    // A list is pasted into bug reports; what an agent is given may be secret.
    return { key, value: /^agents\.[^.]+\.env\./.test(key) ? '(set)' : value, where };
  });
  if (call.flags['json'] === true) {
    call.out.json(
      Object.fromEntries(
        rows.map(({ key, value, where }) => [
          key,
          call.flags['showOrigin'] === true ? { value, origin: where } : value,
        ]),
      ),
    );
    return EXIT.ok;
  }
  call.out.data(
    columns(
      rows.map(({ key, value, where }) =>
        call.flags['showOrigin'] === true
          ? [where, `${key} = ${JSON.stringify(value)}`]
          : [`${key} = ${JSON.stringify(value)}`],
      ),
    ),
  );
  return EXIT.ok;
};

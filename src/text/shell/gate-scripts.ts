import { namedByGates } from './named-by-gates.ts';
import type { CalledScript } from './named-by-gates.ts';

type Scripts = Readonly<Record<string, unknown>>;

/**
 * The scripts of one `package.json` that gates call, directly or through each other, and that are other or gone in `after`.
 * Scripts that `before` does not have define no gate yet.
 */
export function changedScripts(
  called: readonly CalledScript[],
  manifest: string,
  before: string | null,
  after: string | null,
): readonly string[] {
  const [had, has] = [scriptsOf(before), scriptsOf(after)];
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name) || !Object.hasOwn(had, name)) return;
    names.add(name);
    for (const script of namedByGates([String(had[name])]).scripts)
      if (script.manifest === 'package.json') add(script.name);
  };
  for (const script of called) if (script.manifest === manifest) add(script.name);
  return [...names].filter((name) => !Object.hasOwn(has, name) || had[name] !== has[name]);
}

function scriptsOf(text: string | null): Scripts {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: Scripts };
    return typeof scripts === 'object' && scripts !== null ? scripts : {};
  } catch {
    return {};
  }
}

import { AppError } from '../../core/model/errors.ts';
import type { Call } from '../call/handler.ts';
import type { Answer } from '../verbs/answer.ts';
import type { CallerPlace } from '../verbs/caller.ts';

/** Something an MCP client may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  /** It may take something away, if only after it was kept. */
  readonly isTaking?: true;
  readonly parameters: readonly Parameter[];
  readonly call: (call: Call, place: CallerPlace, given: Given) => Promise<Answer>;
  /** How a refusal is told; without it in lines. */
  readonly refused?: (error: AppError) => Answer;
}

export interface Parameter {
  readonly name: string;
  readonly about: string;
  readonly kind: Kind;
  readonly isRequired: boolean;
}

type Kind = 'text' | 'list' | 'flag';

export interface Given {
  /** Empty where it was left out. */
  readonly text: (name: string) => string;
  readonly texts: (name: string) => readonly string[];
  readonly flag: (name: string, unsaid?: boolean) => boolean;
}

export const required = (name: string, about: string): Parameter => ({ name, about, kind: 'text', isRequired: true });
export const optional = (name: string, about: string): Parameter => ({ name, about, kind: 'text', isRequired: false });
export const isList = (parameter: Parameter): Parameter => ({ ...parameter, kind: 'list' });
export const flag = (name: string, about: string): Parameter => ({ name, about, kind: 'flag', isRequired: false });

/** As JSON Schema says it. */
export const SCHEMA_OF: Readonly<Record<Kind, object>> = {
  text: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
  flag: { type: 'boolean' },
};

const FITS: Readonly<Record<Kind, { readonly what: string; readonly is: (value: unknown) => boolean }>> = {
  text: { what: 'text', is: (value) => typeof value === 'string' },
  list: { what: 'list of texts', is: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string') },
  flag: { what: 'true or false', is: (value) => typeof value === 'boolean' },
};

/** What a client sent, checked against what the tool takes: clients differ in how much they check themselves. */
export function givenTo(tool: Tool, sent: Readonly<Record<string, unknown>>): Given {
  const problem = tool.parameters.flatMap((parameter) => problemOf(parameter, sent[parameter.name]))[0];
  const strange = Object.keys(sent).find((name) => !tool.parameters.some((parameter) => parameter.name === name));
  if (problem !== undefined || strange !== undefined) {
    const takes = tool.parameters.map(({ name, isRequired }) => (isRequired ? name : `${name} (may be left out)`));
    throw new AppError('E_USAGE', problem ?? `${tool.name} takes no ${JSON.stringify(strange)}`, {
      remedy: takes.length === 0 ? `${tool.name} takes nothing` : `${tool.name} takes ${takes.join(', ')}`,
    });
  }
  return {
    text: (name) => (sent[name] as string | null | undefined) ?? '',
    texts: (name) => (sent[name] as readonly string[] | null | undefined) ?? [],
    flag: (name, unsaid = false) => (sent[name] as boolean | null | undefined) ?? unsaid,
  };
}

/** Some clients send null for what is left out. */
function problemOf({ name, isRequired, kind }: Parameter, value: unknown): readonly string[] {
  if (value === undefined || value === null) return isRequired ? [`${name} is missing`] : [];
  const { what, is } = FITS[kind];
  return is(value) ? [] : [kind === 'flag' ? `${name} is not ${what}` : `${name} is no ${what}`];
}

import { AppError } from '../../core/model/errors.ts';
import type { CommandSpec, FlagSpec } from '../call/command-spec.ts';
import type { Call } from '../call/handler.ts';
import { optionName } from '../call/make-call.ts';
import type { Tool } from './tools.ts';

/** A word of a command, as something a client may send. */
export interface Parameter {
  readonly name: string;
  readonly about: string;
  readonly kind: Kind;
  readonly isRequired: boolean;
  /** The flag it stands for, as the handler knows it; null: a word of the argument. */
  readonly option: string | null;
  /** `--no-…`: said as false. */
  readonly isNegated?: boolean;
}

type Kind = 'text' | 'number' | 'list' | 'flag';

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

const KINDS: Readonly<
  Record<Kind, { readonly schema: object; readonly what: string; readonly fits: (value: unknown) => boolean }>
> = {
  text: { schema: { type: 'string' }, what: 'no text', fits: isText },
  number: { schema: { type: 'number' }, what: 'no number', fits: isNumber },
  list: {
    schema: { type: 'array', items: { type: 'string' } },
    what: 'no list of texts',
    fits: (value) => Array.isArray(value) && value.every(isText),
  },
  flag: { schema: { type: 'boolean' }, what: 'not true or false', fits: (value) => typeof value === 'boolean' },
};

const NEVER = new Set(['--json', '--set', '--yes']);

/** What a tool takes, from the row of its command. */
export function parametersOf({ argument, flags, tool }: CommandSpec): readonly Parameter[] {
  const named = (name: string): string => tool?.names?.[name] ?? name;
  const words = argument?.name.split(' ') ?? [];
  return [
    ...words.map((word) => ({
      name: named(word.replaceAll(/[^a-z-]/g, '').replaceAll('-', '_')),
      about: argument?.description ?? '',
      kind: word.startsWith('[id...') ? ('list' as const) : ('text' as const),
      isRequired: word.startsWith('<'),
      option: null,
    })),
    ...flags.flatMap((flag) => {
      const long = /--[a-z-]+/.exec(flag.flag)?.[0] ?? '';
      if (NEVER.has(long) || tool?.flags?.includes(long) === false) return [];
      const name = named(long.replace(/^--(?:no-)?/, '').replaceAll('-', '_'));
      return [
        {
          name,
          about: flag.description,
          kind: kindOf(flag),
          isRequired: false,
          option: optionName(flag),
          isNegated: long.startsWith('--no-'),
        },
      ];
    }),
  ];
}

const kindOf = ({ flag, repeats }: FlagSpec): Kind =>
  repeats === true ? 'list' : flag.includes('<n>') ? 'number' : flag.includes('<') ? 'text' : 'flag';

/** As JSON Schema says it. */
export const inputSchemaOf = ({ parameters }: Tool): { readonly type: 'object'; readonly [more: string]: unknown } => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, about, kind }) => [name, { ...KINDS[kind].schema, description: about }]),
  ),
  required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  additionalProperties: false,
});

/** What a client sent, checked, as the words and flags of the command: clients differ in how much they check themselves. */
export function wordsFrom(
  { name: tool, parameters }: Tool,
  sent: Readonly<Record<string, unknown>>,
): Pick<Call, 'args' | 'flags'> {
  const problem = parameters.flatMap((parameter) => problemOf(parameter, sent[parameter.name]))[0];
  const strange = Object.keys(sent).find((name) => !parameters.some((parameter) => parameter.name === name));
  if (problem !== undefined || strange !== undefined) {
    const takes = parameters.map(({ name, isRequired }) => (isRequired ? name : `${name} (may be left out)`));
    throw new AppError('E_USAGE', problem ?? `${tool} takes no ${JSON.stringify(strange)}`, {
      remedy: takes.length === 0 ? `${tool} takes nothing` : `${tool} takes ${takes.join(', ')}`,
    });
  }
  const given = parameters.filter(({ name }) => sent[name] != null);
  return {
    args: given.flatMap(({ name, option }) => (option === null ? (sent[name] as string | readonly string[]) : [])),
    flags: Object.fromEntries(
      given.flatMap(({ name, option, isNegated }) => {
        const value = sent[name] as string | number | boolean | readonly string[];
        return option === null || value === (isNegated === true)
          ? []
          : [[option, typeof value === 'number' ? String(value) : value]];
      }),
    ),
  };
}

/** Some clients send null for what is left out. */
function problemOf({ name, isRequired, kind }: Parameter, value: unknown): readonly string[] {
  if (value === undefined || value === null) return isRequired ? [`${name} is missing`] : [];
  const { what, fits } = KINDS[kind];
  return fits(value) ? [] : [`${name} is ${what}`];
}

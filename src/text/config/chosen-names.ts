interface ChosenName {
  readonly what: string;
  readonly shape: RegExp;
  readonly allowed: string;
  /** What a document writes in its place. */
  readonly shown: string;
  /** It may hold dots, so a file writes it in quotes. */
  readonly hasDots?: true;
}

const NAME = { shape: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, allowed: 'letters, digits, _ and -', shown: 'NAME' };

/** No segment is empty, `.` or `..`. Without lookahead, which not every reader of a schema has. */
const INNER = String.raw`[^/\\*?\x00-\x1F\x7F]*`;
const SEGMENT = String.raw`(?:\.{0,2}[^./\\*?\x00-\x1F\x7F]${INNER}|\.{3,}${INNER})`;

/** Names a user chooses, by the table they stand in: what they are called and what they may look like. */
export const CHOSEN_NAMES: Readonly<Record<string, ChosenName>> = {
  agents: { what: 'an agent name', ...NAME },
  'agents.*.env': {
    what: 'a variable name',
    shape: /^[A-Za-z_][A-Za-z0-9_]*$/,
    allowed: 'letters, digits and _, not starting with a digit',
    shown: 'VARIABLE',
  },
  'gates.resources': { what: 'the name of a resource', ...NAME },
  'gates.uses': { what: 'the name of a resource', ...NAME },
  'landing.merge.regenerate': {
    what: 'a file to make anew',
    shape: new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`),
    allowed: 'the path of one file inside the repository, without / at its start, without .., * and ?',
    shown: '"PATH"',
    hasDots: true,
  },
};

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;
/** Strings and the text parts of templates; what stands in `${}` is code and stays. */
const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
const TEMPLATE = /`(?:\\.|[^`\\])*`/g;
const HOLE = /\$\{([^{}]*)\}/g;
const REGEX = /(?<=[(,=:[!&|?{};\s])\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[dgimsuvy]*/g;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;

/** The names in a source text, each once: not what is said in comments and strings. */
export function identifiersIn(source: string): readonly string[] {
  const code = source
    .replaceAll(COMMENT, ' ')
    .replaceAll(STRING, "''")
    .replaceAll(REGEX, '/x/')
    .replaceAll(TEMPLATE, (template) => [...template.matchAll(HOLE)].map(([, hole]) => hole).join(' '));
  return [...new Set(code.match(IDENTIFIER))];
}

/** The words a name is made of, in lower case and singular: `maxWorkers` is max, worker. */
export function wordsIn(identifier: string): readonly string[] {
  return identifier
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_$-]+/)
    .filter((word) => word !== '')
    .map((word) => singular(word.toLowerCase()));
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

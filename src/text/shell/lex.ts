/** A piece of a shell line: an operator, or a word as it stands there. */
export interface Token {
  readonly kind: 'operator' | 'word';
  /** The operator, or the word without its quotes. */
  readonly text: string;
  /** A word that the shell takes as it is: without variables, substitutions and patterns. */
  readonly isPlain: boolean;
  /** Lines that run inside the word, in `$( )`, `<( )` or backquotes. */
  readonly inner: readonly string[];
  readonly at: number;
}

/** Longest first. */
const OPERATORS = '&>> <<- <<< ;;& && || ;; ;& |& &> >& <& >> << <> >| & | ; ( ) < > \n'.split(' ');
const PATTERN = /[*?[\]{}~]/;
/** Exactly what is an operator or skipped between words: each turn takes at least one letter. */
const ENDS_WORD = /[ \t\r\n;&|()<>]/;

interface Word {
  text: string;
  isPlain: boolean;
  inner: string[];
}

/** Parts a shell line (or several) into words and operators; comments and here-documents are left out. Never fails. */
export function lexShell(line: string): readonly Token[] {
  return new Lexer(line).tokens(null).tokens;
}

class Lexer {
  readonly #line: string;
  #at = 0;
  #heredocs: { readonly end: string; readonly isIndented: boolean }[] = [];

  constructor(line: string, at = 0) {
    this.#line = line;
    this.#at = at;
  }

  /** Until the end, or until the bracket that closes what is being read. */
  tokens(closing: ')' | null): { readonly tokens: readonly Token[]; readonly end: number } {
    const tokens: Token[] = [];
    let depth = 0;
    while (this.#at < this.#line.length) {
      this.#skipBlanks();
      const at = this.#at;
      if (at >= this.#line.length) break;
      if (this.#line.charAt(at) === '#') {
        this.#skipComment();
        continue;
      }
      const operator = this.#isProcess() ? undefined : OPERATORS.find((each) => this.#line.startsWith(each, at));
      if (operator === ')' && closing !== null && depth === 0) break;
      if (operator === undefined) tokens.push(this.#word(tokens.at(-1)));
      else {
        this.#at += operator.length;
        depth += operator === '(' ? 1 : operator === ')' ? -1 : 0;
        tokens.push({ kind: 'operator', text: operator, isPlain: false, inner: [], at });
        if (operator === '\n') this.#skipHeredocs();
      }
    }
    return { tokens, end: this.#at };
  }

  #isProcess(): boolean {
    return /^[<>]\(/.test(this.#line.slice(this.#at, this.#at + 2));
  }

  #skipBlanks(): void {
    for (;;) {
      if (/[ \t\r]/.test(this.#line.charAt(this.#at))) this.#at += 1;
      else if (this.#line.startsWith('\\\n', this.#at)) this.#at += 2;
      else return;
    }
  }

  #skipComment(): void {
    const end = this.#line.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#line.length : end;
  }

  #skipHeredocs(): void {
    for (const { end, isIndented } of this.#heredocs) {
      while (this.#at < this.#line.length) {
        const stop = this.#line.indexOf('\n', this.#at);
        const row = this.#line.slice(this.#at, stop === -1 ? undefined : stop);
        this.#at = stop === -1 ? this.#line.length : stop + 1;
        if ((isIndented ? row.replace(/^\t+/, '') : row) === end) break;
      }
    }
    this.#heredocs = [];
  }

  #word(before: Token | undefined): Token {
    const at = this.#at;
    const word: Word = { text: '', isPlain: true, inner: [] };
    while (this.#at < this.#line.length && (!ENDS_WORD.test(this.#line.charAt(this.#at)) || this.#isProcess()))
      this.#piece(word);
    if (before?.kind === 'operator' && (before.text === '<<' || before.text === '<<-'))
      this.#heredocs.push({ end: word.text, isIndented: before.text === '<<-' });
    return { kind: 'word', ...word, at };
  }

  #piece(word: Word): void {
    const char = this.#line.charAt(this.#at);
    this.#at += 1;
    if (char === '\\') {
      const next = this.#line.charAt(this.#at);
      this.#at += 1;
      if (next !== '\n') word.text += next;
    } else if (char === "'") word.text += this.#upTo("'");
    else if (char === '"') this.#quoted(word);
    else if (char === '`' || char === '$' || ((char === '<' || char === '>') && this.#line.charAt(this.#at) === '('))
      this.#expansion(char, word);
    else {
      word.text += char;
      if (PATTERN.test(char)) word.isPlain = false;
    }
  }

  #upTo(quote: string): string {
    const end = this.#line.indexOf(quote, this.#at);
    const text = this.#line.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#line.length : end + 1;
    return text;
  }

  #quoted(word: Word): void {
    while (this.#at < this.#line.length) {
      const char = this.#line.charAt(this.#at);
      this.#at += 1;
      if (char === '"') return;
      if (char === '$' || char === '`') this.#expansion(char, word);
      else if (char === '\\' && /["\\$`\n]/.test(this.#line.charAt(this.#at))) {
        if (this.#line.charAt(this.#at) !== '\n') word.text += this.#line.charAt(this.#at);
        this.#at += 1;
      } else word.text += char;
    }
  }

  /** What stands behind a `$`, a backquote or the `<` of `<( )`. */
  #expansion(char: string, word: Word): void {
    const start = this.#at;
    word.isPlain = false;
    if (char === '`') word.inner.push(this.#upTo('`'));
    else if (this.#line.charAt(this.#at) === '(') {
      const inside = new Lexer(this.#line, this.#at + 1).tokens(')');
      word.inner.push(this.#line.slice(this.#at + 1, inside.end));
      this.#at = inside.end + 1;
    } else if (this.#line.charAt(this.#at) === '{') this.#upTo('}');
    word.text += char + this.#line.slice(start, this.#at);
  }
}

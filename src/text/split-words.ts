/** The words of a command line as a shell would part them, with quotes and backslashes, and nothing else of a shell. Null: a quote is left open. */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    const isEscape = char === '\\' && quote !== "'" && at + 1 < line.length;
    if (isEscape && (quote === null || '"\\$`'.includes(line.charAt(at + 1)))) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (word !== null) words.push(word);
  return quote === null ? words : null;
}

import type { Document, ParsedNode } from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, Scalar } from 'yaml';
import type { Problem } from '../../core/model/task.ts';
import { cleanLine, quote } from './clean.ts';
import type { Place } from './places.ts';
import type { Entry, Value, WholeValue } from './value.ts';

type PlaceOf = (offset: number) => Place;
type Token = Parser['stack'][number];

const DEPTH_MAX = 100;
/** The library takes about ten seconds for a million tokens; a graph of ten thousand nodes stays below this. */
const TOKENS_MAX = 1_000_000;
const SYNTAX_PROBLEMS_MAX = 20;
/** How many nodes all aliases of a file may stand for, taken together. */
const ALIASED_NODES_MAX = 10_000;
const NULL_WORDS = new Set(['', '~', 'null', 'Null', 'NULL']);

/** Reads YAML into values with offsets. Every scalar stays the text it was written as. */
export function readYamlValue(text: string, placeOf: PlaceOf): WholeValue {
  const tokens = tokensOf(text, placeOf);
  if ('message' in tokens) return { value: null, problems: [tokens] };
  // Its own check for equal keys compares each with each; ours is below.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const documents: Document.Parsed[] = [...composer.compose(tokens, true, text.length)];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    return {
      value: null,
      problems: errors.slice(0, SYNTAX_PROBLEMS_MAX).map((error) => ({
        ...placeOf(error.pos[0]),
        message: `not valid YAML: ${cleanLine(error.message)}`,
      })),
    };
  }
  const problems: Problem[] = [];
  const second = documents[1];
  if (second !== undefined) {
    problems.push({ ...placeOf(second.range[0]), message: 'only one YAML document is read: a second one begins here' });
  }
  const state: State = { placeOf, problems, anchors: new Map(), weight: 0, aliased: 0 };
  const value = convert(state, documents[0]?.contents ?? null, 0);
  return state.aliased > ALIASED_NODES_MAX ? { value: null, problems } : { value, problems };
}

/** The composer recurses and can take the whole process down, so depth and size are checked before it starts. */
function tokensOf(text: string, placeOf: PlaceOf): Token[] | Problem {
  const parser = new Parser();
  const tokens: Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    count += 1;
    if (parser.stack.length > DEPTH_MAX)
      return { ...placeOf(parser.offset), message: `more than ${DEPTH_MAX} levels deep` };
    if (count > TOKENS_MAX) return { ...placeOf(parser.offset), message: 'too much YAML for one task file' };
  }
  tokens.push(...parser.end());
  return tokens;
}

interface State {
  readonly placeOf: PlaceOf;
  readonly problems: Problem[];
  readonly anchors: Map<string, { readonly value: Value; readonly weight: number }>;
  /** Nodes seen so far, those behind aliases counted each time. */
  weight: number;
  aliased: number;
}

function convert(state: State, node: ParsedNode | null, emptyAt: number): Value {
  if (node === null) return { kind: 'scalar', start: emptyAt, end: emptyAt, text: null };
  const [start, end] = node.range;
  if (isAlias(node)) return convertAlias(state, node.source, start, end);
  const before = state.weight;
  state.weight += 1;
  const value = convertPlain(state, node, { start, end });
  if (node.anchor !== undefined) state.anchors.set(node.anchor, { value, weight: state.weight - before });
  return value;
}

function convertPlain(state: State, node: ParsedNode, span: { readonly start: number; readonly end: number }): Value {
  if (isSeq(node)) {
    const items = (node.items as (ParsedNode | null)[]).map((item) => convert(state, item, span.start));
    return { ...span, end: writtenEnd(node, items.at(-1), span.end), kind: 'list', items };
  }
  if (!isMap(node)) {
    const source = isScalar(node) ? (node.source ?? '') : '';
    const isNull = isScalar(node) && node.type === Scalar.PLAIN && NULL_WORDS.has(source);
    return { ...span, kind: 'scalar', text: isNull ? null : source };
  }
  const entries = new Map<string, Entry>();
  for (const pair of node.items) {
    const key = pair.key as ParsedNode;
    const [keyStart, keyEnd] = key.range;
    const value = convert(state, pair.value as ParsedNode | null, keyEnd);
    if (!isScalar(key)) continue;
    const name = key.source ?? '';
    if (name === '<<') tell(state, keyStart, 'merge keys (<<) are not read: write the fields out');
    if (entries.has(name)) tell(state, keyStart, `the key ${quote(name)} is there twice`);
    // Taken out first, so that the map stays in file order.
    entries.delete(name);
    entries.set(name, { key: { start: keyStart, end: keyEnd }, value });
  }
  const last = [...entries.values()].at(-1)?.value;
  return { ...span, end: writtenEnd(node, last, span.end), kind: 'table', entries };
}

/** The parser lets a block run on over comments and empty lines; ours ends with the last thing in it. */
function writtenEnd(node: { readonly flow?: boolean }, last: Value | undefined, end: number): number {
  return node.flow === true || last === undefined ? end : last.end;
}

function convertAlias(state: State, name: string, start: number, end: number): Value {
  const empty: Value = { kind: 'scalar', start, end, text: null };
  const anchor = state.anchors.get(name);
  if (anchor === undefined) {
    tell(state, start, `the alias ${quote(name)} refers to nothing above it`);
    return empty;
  }
  const wasWithin = state.aliased <= ALIASED_NODES_MAX;
  state.aliased += anchor.weight;
  state.weight += anchor.weight;
  if (state.aliased <= ALIASED_NODES_MAX) return { ...anchor.value, start, end };
  if (wasWithin) tell(state, start, `the aliases expand to more than ${ALIASED_NODES_MAX} values`);
  return empty;
}

function tell(state: State, offset: number, message: string): void {
  state.problems.push({ ...state.placeOf(offset), message });
}

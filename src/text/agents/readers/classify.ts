import type { FailureKind } from '../../../core/model/failure.ts';

type Rule = readonly [FailureKind, RegExp];

/**
 * In this order: a usage limit often speaks of rates as well, and what names its cause is worth more than a status.
 * The texts are those of the clients and of the services behind them.
 */
const RULES: readonly Rule[] = [
  ['turns', /max(?:imum)?(?: number of)? (?:session )?turns|error_max_turns|max_turn_requests/],
  ['budget', /maximum budget|budget (?:is )?(?:exhausted|exceeded)|error_max_budget/],
  ['limit', /usage.?limit|spend(?:ing)?.?limit/],
  ['limit', /(?:hit|reached|exceeded) your (?!.{0,30}(?:\brate\b|per.minute)).{0,30}\blimit\b/],
  [
    'limit',
    /\b(?:hour|daily|weekly|monthly|session|opus|sonnet|plan|premium request) (?:limit|allowance) (?:is )?(?:reached|exceeded)/,
  ],
  [
    'limit',
    /(?:insufficient|exceeded|exhausted|out of) (?:\w+ ){0,3}quota|quota (?:is )?(?:exceeded|exhausted)|insufficient.quota/,
  ],
  ['limit', /credit balance is too low|out of credits|insufficient (?:credits|balance|funds)|payment required/],
  ['context', /prompt.(?:is.)?too.long|context.?(?:window|length)|maximum context|input is too long|request too large/],
  [
    'model',
    /model.?not.?found|unknown model|no such model|selected model|model\b.{0,60}(?:does not exist|not exist|is not (?:available|supported|found))/,
  ],
  [
    'auth',
    /not logged in|please run \S*login|log ?in (?:again|required|first)|unauthori[sz]ed|unauthenticated|forbidden/,
  ],
  [
    'auth',
    /authenticat(?:ion|e).{0,20}(?:fail|required|error|invalid)|auth(?:entication)?.required|invalid.authentication/,
  ],
  [
    'auth',
    /(?:invalid|incorrect|missing|expired|revoked|no)\b.{0,12}\b(?:x-)?api.?key|api.?key.{0,20}(?:invalid|not valid|expired|missing|required)/,
  ],
  [
    'auth',
    /(?:oauth |access |refresh )?token (?:has )?(?:expired|been revoked)|no credentials|missing environment variable|invalid auth method/,
  ],
  ['rate', /rate.?limit|too many requests|per.?minute|resource.(?:has been )?exhausted|slow down/],
  [
    'overloaded',
    /overloaded|high demand|over capacity|service unavailable|internal server error|server.?error|bad gateway|gateway time-?out/,
  ],
  [
    'overloaded',
    /econn(?:refused|reset|aborted)|enotfound|etimedout|eai_again|fetch failed|network error|connection (?:error|refused|reset|closed)|stream disconnected|request timed out/,
  ],
];

/** A number counts as a status only where a client puts one: `API Error: 401`, `status 429`, `(HTTP 401)`, at the beginning. */
const STATUS = /(?:^\W{0,2}|\b(?:error|status|http|code)\b"?[:\s]{1,2}(?:code[:\s]{1,2})?|\()(?:http )?([45]\d\d)\b/;

/** A message says what it is about at its beginning; what follows may be anything, and long. */
const CHARS_MAX = 4000;

/** What kind of failure this message tells of; `other`: it does not say. */
export function classifyMessage(text: string, status: number | null = null): FailureKind {
  const plain = text.slice(0, CHARS_MAX).replaceAll('’', "'").toLowerCase();
  const rule = RULES.find(([, pattern]) => pattern.test(plain));
  if (rule !== undefined) return rule[0];
  return kindOfStatus(status ?? Number(STATUS.exec(plain)?.[1] ?? 0));
}

/** What an HTTP status says by itself. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'limit';
  if (status === 413) return 'context';
  if (status === 429) return 'rate';
  return status >= 500 && status < 600 ? 'overloaded' : 'other';
}

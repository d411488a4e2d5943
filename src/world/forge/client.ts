import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import type { ForgeBudget } from '../contract/forge.ts';

export interface ClientPlace {
  /** Names the forge to people. */
  readonly host: string;
  readonly apiUrl: string;
  readonly token: string;
  /** How the forge wants its token: `token` and `bearer` are both common. */
  readonly scheme: 'token' | 'bearer';
}

export interface Answered {
  readonly status: number;
  readonly data: unknown;
  /** What the forge said where it refused; empty: it did not. */
  readonly message: string;
}

export interface ForgeClient {
  /** A look. What did not change since the last one costs nothing where the forge has tags for that. */
  readonly get: (route: string, values?: Values) => Promise<unknown>;
  /** Null: there is no such thing. */
  readonly find: (route: string, values?: Values) => Promise<unknown>;
  /** All pages of a list. */
  readonly all: (route: string, values?: Values) => Promise<readonly unknown[]>;
  /** An act, sent once: whether it is repeated is for whoever looks first. */
  readonly send: (route: string, values?: Values) => Promise<Answered>;
  readonly graphql: (query: string, values: Values) => Promise<unknown>;
  readonly budget: () => ForgeBudget;
}

type Values = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string | number | undefined>>;

const WAIT_MS_MAX = 30_000;
const LOOK_RETRIES = 2;
const PER_PAGE = 100;
const PAGES_MAX = 20;
/** Of what an hour allows, this much is left for the user's own tools. */
const RESERVE = 0.2;
const TAGS_MAX = 500;

/** Every write a second after the last one; the plugin would make what tells people wait three. */
const EVENLY = { triggersNotification: () => false };

const Client = Octokit.plugin(throttling, retry);

/** Speaks to one forge: spaced writes, tagged looks, and a halt where the forge says that it was too much. */
export function openClient(place: ClientPlace): ForgeClient {
  const gauge = openGauge();
  const client = openOctokit(place, gauge);
  const request = openRequests(place, client, gauge);
  const look = async (route: string, values: Values): Promise<Got> => {
    const got = await request(`GET ${route}`, values);
    if (got.status < 400) return got;
    throw refusedLook(place, route, got);
  };
  return {
    get: async (route, values = {}) => (await look(route, values)).data,
    find: async (route, values = {}) => {
      const got = await request(`GET ${route}`, values);
      if (got.status === 404) return null;
      if (got.status >= 400) throw refusedLook(place, route, got);
      return got.data;
    },
    all: async (route, values = {}) => {
      const found: unknown[] = [];
      for (let page = 1; page <= PAGES_MAX; page += 1) {
        const got = await look(route, { ...values, per_page: PER_PAGE, page });
        const some = listIn(got.data);
        found.push(...some);
        if (some.length === 0 || !(/rel="next"/.test(got.link) || found.length < got.total)) break;
      }
      return found;
    },
    send: (route, values = {}) => request(route, values),
    graphql: (query, values) => client.graphql(query, { ...values, request: { retries: 0 } }),
    budget: gauge.budget,
  };
}

/** What the forge has told of its limits. */
interface Gauge {
  readonly budget: () => ForgeBudget;
  readonly note: (status: number, headers: Headers) => void;
  readonly hold: (kind: 'rate' | 'limit', afterS: number, detail: string) => false;
}

function openGauge(): Gauge {
  let held: ForgeBudget['held'] = null;
  let left = { remaining: Number.POSITIVE_INFINITY, limit: 1, resetMs: 0 };
  let charged = 0;
  return {
    hold: (kind, afterS, detail) => {
      if (held === null || held.untilMs < Date.now()) held = { kind, untilMs: Date.now() + afterS * 1000, detail };
      return false;
    },
    note: (status, headers) => {
      if (status !== 304) charged += 1;
      const [remaining, limit, reset] = ['remaining', 'limit', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
      if (remaining === undefined || limit === undefined) return;
      left = { remaining: Number(remaining), limit: Number(limit), resetMs: Number(reset ?? 0) * 1000 };
    },
    budget: () => ({
      held: held !== null && held.untilMs > Date.now() ? held : null,
      isScarce: left.resetMs > Date.now() && left.remaining < left.limit * RESERVE,
      charged,
    }),
  };
}

function openOctokit({ apiUrl, scheme, token }: ClientPlace, { hold }: Gauge): InstanceType<typeof Client> {
  const client = new Client({
    baseUrl: apiUrl,
    userAgent: 'paralph',
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    throttle: {
      ...EVENLY,
      onRateLimit: (afterS: number) => hold('limit', afterS, 'the requests of this hour are used up'),
      onSecondaryRateLimit: (afterS: number) => hold('rate', afterS, 'too many requests in a short time'),
    },
    retry: { retries: LOOK_RETRIES, doNotRetry: [304, 400, 401, 403, 404, 405, 409, 410, 422, 423, 429, 451] },
  });
  client.hook.before('request', (options) => {
    options.headers.authorization = `${scheme} ${token}`;
    options.request = { ...options.request, signal: AbortSignal.timeout(WAIT_MS_MAX) };
  });
  return client;
}

type Request = (route: string, values: Values) => Promise<Got>;

/** Whatever the forge answers is an answer; no answer, and to be told to wait, is not. */
function openRequests(place: ClientPlace, client: InstanceType<typeof Client>, { note, hold }: Gauge): Request {
  const tags = new Map<string, Tagged>();
  return async (route, values) => {
    const isAct = !route.startsWith('GET ');
    const wanted = `${route} ${JSON.stringify(values)}`;
    const known = isAct ? undefined : tags.get(wanted);
    const headers = known === undefined ? {} : { 'if-none-match': known.tag };
    try {
      const answer = await client.request(route, { ...values, headers, ...(isAct ? { request: { retries: 0 } } : {}) });
      note(answer.status, answer.headers);
      const { etag } = answer.headers;
      const link = answer.headers.link ?? '';
      const total = Number(answer.headers['x-total-count'] ?? 0);
      const data = answer.data as unknown;
      if (!isAct && typeof etag === 'string') {
        if (tags.size >= TAGS_MAX) tags.clear();
        tags.set(wanted, { tag: etag, data, link, total });
      }
      return { status: answer.status, data, message: '', link, total };
    } catch (error) {
      const failed = readFailure(error);
      if (failed.headers !== null) note(failed.status, failed.headers);
      if (failed.status === 304 && known !== undefined)
        return { status: 200, data: known.data, message: '', link: known.link, total: known.total };
      const isHeld = failed.status === 429 || (failed.status === 403 && isLimit(failed));
      if (isHeld) hold('rate', retryAfterOf(failed.headers), failed.message);
      if (failed.headers === null || failed.status >= 500 || isHeld || failed.status === 401)
        throw forgeError(place, failed, isHeld);
      return { status: failed.status, data: failed.data, message: cleanLine(failed.message), link: '', total: 0 };
    }
  };
}

/** How long a list is, some forges say by a link to its next page, and some by a number. */
interface Listed {
  readonly link: string;
  readonly total: number;
}

type Got = Answered & Listed;
type Tagged = Listed & { readonly tag: string; readonly data: unknown };

/** Some lists come inside an object that counts them. */
function listIn(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const [inside] = Object.values((data ?? {}) as object).filter((one) => Array.isArray(one));
  return (inside as readonly unknown[] | undefined) ?? [];
}

interface Failed {
  readonly status: number;
  readonly message: string;
  readonly data: unknown;
  /** null: there was no answer at all. */
  readonly headers: Headers | null;
}

function readFailure(error: unknown): Failed {
  const { status, message, response } = error as {
    readonly status?: number;
    readonly message?: string;
    readonly response?: { readonly data: unknown; readonly headers: Headers };
  };
  const data = response?.data;
  return {
    status: status ?? 500,
    message: saidBy(data) ?? message ?? 'no answer',
    data,
    headers: response?.headers ?? null,
  };
}

/** Its own words, with those about single fields; not the address of a manual. */
function saidBy(data: unknown): string | null {
  const { message, errors } = (data ?? {}) as { readonly message?: unknown; readonly errors?: unknown };
  if (typeof message !== 'string') return null;
  const more = (Array.isArray(errors) ? errors : []).flatMap((one: unknown) => {
    const said = typeof one === 'string' ? one : (one as { readonly message?: unknown } | null)?.message;
    return typeof said === 'string' ? [said] : [];
  });
  return [message, ...more].join(': ');
}

const isLimit = ({ message, headers }: Failed): boolean =>
  /rate limit|abuse/i.test(message) ||
  headers?.['x-ratelimit-remaining'] === '0' ||
  headers?.['retry-after'] !== undefined;

const MINUTE_S = 60;
const retryAfterOf = (headers: Headers | null): number => Number(headers?.['retry-after'] ?? MINUTE_S) || MINUTE_S;

function forgeError(
  { host, apiUrl, scheme }: ClientPlace,
  { status, message, headers }: Failed,
  isHeld: boolean,
): AppError {
  if (status === 401)
    return new AppError('E_NO_FORGE', `${host} refuses the token: ${cleanLine(message)}`, {
      remedy:
        scheme === 'token'
          ? 'export GITEA_TOKEN=…'
          : `export GH_TOKEN=…, or: gh auth login --hostname ${shellWord(host)}`,
    });
  const what = headers === null ? 'does not answer' : isHeld ? 'asks to wait' : `answers ${status}`;
  return new AppError('E_FORGE', `${host} ${what}: ${cleanLine(message)}`, {
    remedy: `curl -sSI ${shellWord(apiUrl)}`,
  });
}

const refusedLook = ({ host, apiUrl }: ClientPlace, route: string, { status, message }: Answered): AppError =>
  new AppError('E_FORGE', `${host} answers ${status} to ${route.split('?')[0] ?? ''}: ${message}`, {
    remedy: `curl -sSI ${shellWord(apiUrl)}`,
  });

const BARE_KEY = /^[A-Za-z0-9_-]+$/;
const LONE_SURROGATE = /\p{Cs}/gu;

/** A TOML basic string. JSON's escapes are TOML's, but for the delete character and halves of surrogate pairs. */
export const tomlString = (value: string): string =>
  JSON.stringify(value.replaceAll(LONE_SURROGATE, '\uFFFD')).replaceAll('\u007F', '\\u007F');

export const tomlArray = (values: readonly string[]): string => `[${values.map(tomlString).join(',')}]`;

/** An inline table of values that are TOML already. */
export const tomlTable = (entries: Readonly<Record<string, string>>): string =>
  `{${Object.entries(entries)
    .map(([key, value]) => `${BARE_KEY.test(key) ? key : tomlString(key)}=${value}`)
    .join(',')}}`;

/** What `git config -z --list` prints, in order. Null: a key without a value, which means true. git writes section and name in lower case. */
export function parseConfigList(listed: string): readonly (readonly [key: string, value: string | null])[] {
  return listed
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const cut = record.indexOf('\n');
      return cut === -1 ? [record, null] : [record.slice(0, cut), record.slice(cut + 1)];
    });
}

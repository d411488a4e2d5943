/** As in: gates do not get DATABASE_URL, which looks like a credential. Hand it on: pass_env = ["DATABASE_URL"] in [gates]. */
export function describeLeftOut(names: readonly string[]): string {
  const [look, it] = names.length === 1 ? ['looks like a credential', 'it'] : ['look like credentials', 'them'];
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return `gates do not get ${names.join(', ')}, which ${look}; hand ${it} on: pass_env = [${list}] in [gates]`;
}

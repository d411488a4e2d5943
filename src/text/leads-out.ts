/**
 * Whether a symbolic link of a repository may lead out of it, or into git's own folder. Read by its words alone: what
 * they pass through may itself be a link, so a step back after a step ahead counts as leading out.
 */
export function leadsOut(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return true;
  const folders = namesOf(path).length - 1;
  const names = namesOf(target);
  const ups = names.findIndex((name) => name !== '..');
  const [back, ahead] = ups === -1 ? [names.length, []] : [ups, names.slice(ups)];
  return back > folders || ahead.includes('..') || ahead.some((name) => /^\.git$/i.test(name));
}

const namesOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.');

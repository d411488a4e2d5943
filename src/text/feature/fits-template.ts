const PLACE = /<\w+>|\{\w+\}/g;

/** Whether a branch is called as a template calls them. A template without anything of its own fits none: it would fit all. */
export function fitsTemplate(template: string, branch: string): boolean {
  const fixed = template.split(PLACE);
  if (fixed.join('') === '' || fixed.length === 1) return false;
  const pattern = fixed.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('.+');
  return new RegExp(`^${pattern}$`, 'u').test(branch);
}

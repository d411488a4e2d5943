import { AppError } from '../../core/model/errors.ts';
import { slugOf } from './feature-name.ts';

export interface TemplateValues {
  readonly name: string;
  readonly repo: string;
}

const PLACE = /<(\w+)>|\{(\w+)\}/g;

/** The branch that a template gives a feature. */
export function fillBranch(template: string, { name, repo }: TemplateValues): string {
  return fill('worktree.branch', template, { name, repo: slugOf(repo) });
}

/** The folder that a template gives it. What has slashes in its name is one folder all the same, or features would lie in each other. */
export function fillPath(template: string, values: TemplateValues & { readonly branch: string }): string {
  const flat = (text: string): string => text.replaceAll('/', '-');
  const path = fill('worktree.path', template, {
    name: flat(values.name),
    branch: flat(values.branch),
    repo: values.repo,
  });
  if (/[<{](?:name|branch)[>}]/.test(template)) return path;
  throw new AppError('E_CONFIG', `worktree.path is the same for every feature: ${JSON.stringify(template)}`, {
    remedy: `ralph config set worktree.path '~/worktrees/<name>'`,
  });
}

function fill(key: string, template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACE, (found, angled: string | undefined, braced: string | undefined) => {
    const word = angled ?? braced ?? '';
    const value = Object.hasOwn(values, word) ? values[word] : undefined;
    if (value !== undefined) return value;
    throw new AppError('E_CONFIG', `${key} asks for ${found}, and there is only ${known(values)}`, {
      remedy: `ralph config get ${key}`,
    });
  });
}

const known = (values: Readonly<Record<string, string>>): string =>
  Object.keys(values)
    .map((word) => `<${word}>`)
    .join(', ');

import { validate } from '@octokit/graphql-schema';
import type { Pull, Rules } from './github-types.ts';

interface Forge {
  readonly pulls: readonly Pull[];
  readonly rules: Rules;
  readonly rulesLeft: (pull: Pull) => string | null;
  readonly headOf: (pull: Pull) => string;
}

/** What GitHub answers by GraphQL; every document is held against its published schema. */
export function answerQuery(
  { pulls, rules, rulesLeft, headOf }: Forge,
  { query, variables }: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
): object {
  const faults = validate(query);
  if (faults.length > 0) throw new Error(`not as GitHub publishes it: ${faults.map(String).join('; ')}`);
  const failed = (message: string): object => ({ data: null, errors: [{ type: 'UNPROCESSABLE', message }] });
  if (query.startsWith('query'))
    return { data: { repository: { pullRequest: { id: `PR_${String(variables['number'])}` } } } };
  const pull = pulls.find(({ number }) => `PR_${number}` === variables['id']);
  if (pull === undefined) return failed('Could not resolve to a node');
  const isHead = variables['head'] === undefined || variables['head'] === headOf(pull);
  if (query.includes('disablePullRequestAutoMerge')) {
    pull.armed = null;
    return { data: { disablePullRequestAutoMerge: { pullRequest: { number: pull.number } } } };
  }
  if (!isHead) return failed('Head sha did not match expected.');
  if (query.includes('enqueuePullRequest')) {
    pull.armed = 'merge';
    return { data: { enqueuePullRequest: { mergeQueueEntry: { state: 'QUEUED' } } } };
  }
  if (rules.queue) return failed('Pull request is in a merge queue ruled branch');
  if (rulesLeft(pull) === null) return failed('Pull request Pull request is in clean status');
  pull.armed = typeof variables['how'] === 'string' ? variables['how'].toLowerCase() : 'merge';
  return { data: { enablePullRequestAutoMerge: { pullRequest: { number: pull.number } } } };
}

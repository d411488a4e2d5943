import { AppError } from '../../core/model/errors.ts';
import type { Forge, MergeAnswer, MergeOrder } from '../contract/forge.ts';
import type { Answered } from './client.ts';
import { rowOf } from './gitea-shapes.ts';
import type { GiteaPull, GiteaUser } from './gitea-shapes.ts';
import type { ForgePlace } from './github.ts';

const R = '/repos/{owner}/{repo}';
const PULL = `${R}/pulls/{index}`;
const MERGE = `${PULL}/merge`;
/** Asking again is all there is to do: it is still finding out, or something moved meanwhile. */
const PASSES = /try again later|out of date|being checked|in progress/i;
const LABEL_COLOR = '#ededed';

type Acts = 'open' | 'decorate' | 'edit' | 'setState' | 'say' | 'unsay' | 'merge' | 'arm' | 'disarm';

export function giteaActs(place: ForgePlace): Pick<Forge, Acts> {
  const { client, owner, repo, host } = place;
  const at = { owner, repo };
  const done = async (route: string, what: string, values: object): Promise<void> => {
    const answer = await client.send(route, { ...at, ...values });
    if (answer.status >= 300) throw refused(host, what, answer);
  };
  return {
    open: async ({ branch, target, title, body }) => {
      const made = await client.send(`POST ${R}/pulls`, { ...at, head: branch, base: target, title, body });
      if (made.status === 201) return rowOf(place, made.data as GiteaPull);
      if (made.status === 409) return null;
      throw refused(host, `to open a pull request of ${branch} into ${target}`, made);
    },
    decorate: async (index, { labels, reviewers, assignees }) => {
      const refusals: string[] = [];
      const add = async (what: string, list: readonly string[], act: () => Promise<Answered>): Promise<void> => {
        if (list.length === 0) return;
        const { status, message } = await act();
        if (status >= 300)
          refusals.push(`${what} ${list.join(', ')}: ${message === '' ? `status ${status}` : message}`);
      };
      await add('labels', labels, async () => {
        await makeLabels(place, labels);
        return client.send(`POST ${R}/issues/{index}/labels`, { ...at, index, labels });
      });
      await add('assignees', assignees, async () => {
        // The list is set, not added to.
        const { assignees: before } = (await client.get(PULL, { ...at, index })) as GiteaPull;
        const all = [...new Set([...(before ?? []).map(({ login }: GiteaUser) => login), ...assignees])];
        return client.send(`PATCH ${R}/issues/{index}`, { ...at, index, assignees: all });
      });
      await add('reviewers', reviewers, () =>
        client.send(`POST ${PULL}/requested_reviewers`, {
          ...at,
          index,
          reviewers: reviewers.filter((one) => !one.includes('/')),
          team_reviewers: reviewers.flatMap((one) => one.split('/')[1] ?? []),
        }),
      );
      return refusals;
    },
    edit: (index, change) => done(`PATCH ${PULL}`, `to change #${index}`, { index, ...change }),
    setState: (index, state) =>
      done(`PATCH ${PULL}`, `to ${state === 'open' ? 'open' : 'close'} #${index}`, { index, state }),
    say: (index, body) => done(`POST ${R}/issues/{index}/comments`, `a comment on #${index}`, { index, body }),
    unsay: (comment) =>
      done(`DELETE ${R}/issues/comments/{id}`, 'to take a comment back', { id: Number(comment.split(':')[1]) }),
    merge: async (order) => {
      const { status, message } = await client.send(`POST ${MERGE}`, { ...at, ...mergeOf(order) });
      return mergeAnswer(status, message);
    },
    arm: async (order) => {
      // It keeps no head with that wish: what is there by now must be what was proved, and a merge of another head says so.
      const { head } = (await client.get(PULL, { ...at, index: order.number })) as GiteaPull;
      if (head.sha !== order.head) return 'nothing to wait for';
      const wish = { ...at, ...mergeOf(order), merge_when_checks_succeed: true };
      const answer = await client.send(`POST ${MERGE}`, wish);
      if (answer.status === 200 || answer.status === 201) return 'armed';
      if (answer.status === 409 && /already scheduled/i.test(answer.message)) return 'armed';
      if (mergeAnswer(answer.status, answer.message).is === 'refused')
        throw refused(host, `to merge #${order.number} by itself`, answer);
      return 'nothing to wait for';
    },
    disarm: async (index) => {
      const answer = await client.send(`DELETE ${MERGE}`, { ...at, index });
      // It was not: that is what was wanted.
      if (answer.status >= 300 && answer.status !== 404) throw refused(host, `to keep #${index} open`, answer);
    },
  };
}

const mergeOf = ({ number, head, method, title, message }: MergeOrder): object => ({
  index: number,
  do: method,
  head_commit_id: head,
  // It makes the commits of a rebase as they are.
  ...(method === 'rebase' ? {} : { merge_title_field: title, merge_message_field: message }),
});

function mergeAnswer(status: number, message: string): MergeAnswer {
  if (status === 200 || /already merged/i.test(message)) return { is: 'merged' };
  return { is: PASSES.test(message) ? 'later' : 'refused', why: message === '' ? `status ${status}` : message };
}

/** It takes labels that are there alone, and passes over others without a word. */
async function makeLabels({ client, owner, repo }: ForgePlace, wanted: readonly string[]): Promise<void> {
  const there = (await client.all(`${R}/labels`, { owner, repo, limit: 50 })) as readonly { readonly name: string }[];
  for (const name of wanted)
    if (!there.some((one) => one.name === name))
      await client.send(`POST ${R}/labels`, { owner, repo, name, color: LABEL_COLOR });
}

const refused = (host: string, what: string, { status, message }: Answered): AppError =>
  new AppError('E_FORGE', `${host} refuses ${what}: ${message === '' ? `status ${status}` : message}`, {
    remedy: 'ralph doctor',
  });

import {
  choice,
  count,
  duration,
  forgeUrl,
  landingTemplate,
  ownerAndName,
  text,
  texts,
  variableName,
} from './key-types.ts';
import { key, open } from './key.ts';
import type { ConfigKey } from './key.ts';

/** [forge]: all of it may be left out where the remote and the environment tell. */
export const FORGE_KEYS: readonly ConfigKey[] = [
  open(
    'forge.kind',
    choice('github', 'gitea'),
    'github',
    'Where pull requests are opened: github (GitHub, GitHub Enterprise) or gitea (Gitea, Forgejo). Unset: found from the URL of the remote.',
  ),
  open(
    'forge.base_url',
    forgeUrl,
    'https://git.example.com',
    'Address of GitHub Enterprise, Gitea or Forgejo; unset: taken from the URL of the remote. Plain http only for this machine.',
  ),
  open('forge.repository', ownerAndName, 'owner/name', 'Repository there; unset: taken from the URL of the remote.'),
  key('forge.remote', text, 'origin', 'The git remote that branches are pushed to.'),
  open(
    'forge.token_env',
    variableName,
    'MY_FORGE_TOKEN',
    'Variable that holds the token; unset: GH_TOKEN, GITHUB_TOKEN, then `gh auth token`; for gitea GITEA_TOKEN.',
  ),
  key(
    'forge.checks',
    choice('required', 'none'),
    'required',
    'required: nothing is merged before a check of the forge is green; none: this repository has no CI, and our own gates count.',
  ),
  key(
    'forge.review',
    choice('auto', 'agent', 'none'),
    'auto',
    'Whether an agent reviews before ralph merger merges: agent: yes; none: no; auto: where .claude/agents/merger.md exists, with that file in its prompt. The approval of a person counts as well.',
  ),
  key('forge.bots', texts, [], "Logins whose comments count beside those of the repository's collaborators."),
  key(
    'forge.merge',
    choice('person', 'auto', 'merger'),
    'person',
    'Who merges a pull request: person: you; auto: the forge, once its own rules are met; merger: every run, as ralph merger does.',
  ),
  key(
    'forge.ci_deadline',
    duration,
    '30m',
    'How long a pull request without any check waits before it needs a person.',
  ),
  key('forge.rounds', count(0, 20), 3, 'How often red checks or a review give a loop its work back.'),
  key('forge.pr.labels', texts, [], 'Labels of every pull request.'),
  key('forge.pr.reviewers', texts, [], 'Logins that are asked for a review.'),
  key('forge.pr.assignees', texts, [], 'Logins a pull request is assigned to.'),
  open('forge.pr.title', landingTemplate, '{{title}}', 'Title of a pull request, with variables in double braces.'),
  open(
    'forge.pr.body',
    landingTemplate,
    'For {{task_id}}.',
    'First lines of a pull request, with variables in double braces; what was asked and done follows.',
  ),
];

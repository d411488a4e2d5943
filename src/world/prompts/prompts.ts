import type { PromptSettings } from '../../core/model/settings.ts';
import { chooseMemories, withAuthor } from '../../text/memories.ts';
import { buildPrompt } from '../../text/prompt/template.ts';
import type { PromptFacts } from '../../text/prompt/facts.ts';
import type { Repository } from '../git/run/repository.ts';
import { openMemories } from './memories.ts';
import { loadPromptTemplate, readOwnPrompt, readReviewerPrompt } from './prompt-files.ts';
import type { Prompts } from '../contract/world.ts';

/** Prompts from the user's templates and the memories, both read anew each time: an edit counts from the next iteration on. */
export function openPrompts(repo: Repository, { memoryTokens }: PromptSettings, isTestFirst = false): Prompts {
  return {
    reviewer: (task) => readReviewerPrompt(repo.root, task),
    build: (facts) => {
      const words = `${facts.task.title} ${facts.task.body}`;
      const memories = chooseMemories(openMemories(repo).list(), { tokens: memoryTokens, task: words });
      return fromTemplates(repo.root, { ...facts, memories: memories.map(withAuthor) }, isTestFirst);
    },
  };
}

/** Whoever made the work is told as in every iteration; for the others a frame is put around their part. */
function fromTemplates(root: string, facts: PromptFacts, isTestFirst: boolean): string {
  const role = facts.rework?.role ?? 'owner';
  const usual = (): string => buildPrompt(loadPromptTemplate(root, 'iteration').template, facts);
  if (role === 'owner' && !isTestFirst) return usual();
  if (role === 'owner') {
    const own = readOwnPrompt(root, facts.task.id);
    return own === null ? buildPrompt(loadPromptTemplate(root, 'orchestrate').template, facts) : `${own}\n${usual()}`;
  }
  const part = loadPromptTemplate(root, role).template;
  return buildPrompt(loadPromptTemplate(root, 'merger').template, facts, part);
}

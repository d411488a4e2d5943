import type { PromptSettings } from '../core/settings.ts';
import { chooseMemories } from '../text/memories.ts';
import { buildPrompt } from '../text/prompt/build-prompt.ts';
import type { Repository } from './git/repository.ts';
import { openMemories } from './memories.ts';
import { loadPromptTemplate } from './prompt-files.ts';
import type { Prompts } from './world.ts';

/** Prompts from the user's template and the memories, both read anew each time: an edit counts from the next iteration on. */
export function openPrompts(repo: Repository, { memoryTokens }: PromptSettings): Prompts {
  return {
    build: (facts) => {
      const words = `${facts.task.title} ${facts.task.body}`;
      const memories = chooseMemories(openMemories(repo).list(), { tokens: memoryTokens, task: words });
      const { template } = loadPromptTemplate(repo.root);
      return buildPrompt(template, { ...facts, memories: memories.map((memory) => memory.text) });
    },
  };
}

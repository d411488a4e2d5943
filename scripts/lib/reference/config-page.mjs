import { page } from './markdown.mjs';

const ORIGINS = `Where a value comes from, strongest first:

1. a flag (\`--set parallel.max_workers=4\` reaches every key)
2. a \`RALPH_\` variable
3. \`ralph.local.toml\`, for you alone
4. \`ralph.toml\` or \`.ralph/ralph.toml\` of the repository
5. \`ralph/config.toml\` in your configuration folder (\`$XDG_CONFIG_HOME\`, else \`~/.config\`)
6. the default

\`ralph config list --show-origin\` tells it for each key. An unknown key is an error that names its line and the key that was
probably meant. A JSON Schema is in \`schema/ralph.schema.json\`.`;

/** docs/reference/config.md: every key. */
export function configPage({ configReference }) {
  return page({
    title: 'Configuration',
    source: 'src/text/config/keys.ts',
    intro: ORIGINS,
    blocks: ['## Keys', configReference().trimEnd()],
  });
}

import { describe, expect, it } from 'vitest';
import { isCredential } from './credential.ts';

describe('isCredential', () => {
  it.each(
    'NPM_TOKEN TOKEN OPENAI_API_KEY STRIPE_KEYS CLIENT_SECRET DB_PASSWORD db_password DB_PASS PGPASSWORD MYSQL_PWD OPENAI_APIKEY APP_CREDENTIALS NODE_AUTH_TOKEN BASIC_AUTH SESSION_COOKIE npm_config__auth npm_config_//host/:_authToken authToken DOCKER_AUTH_CONFIG KEY AWS_REGION AZURE_TENANT_ID GOOGLE_APPLICATION_CREDENTIALS GH_HOST GITHUB_ACTOR GITLAB_HOST SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO SSH_ASKPASS SUDO_ASKPASS VSCODE_GIT_IPC_HANDLE'.split(
      ' ',
    ),
  )('%s is one by its name', (name) => {
    expect(isCredential(name, 'x')).toBe(true);
  });

  it.each(
    'PATH HOME CI LANG TMPDIR NODE_ENV NODE_OPTIONS TERM SSH_CONNECTION DOCKER_HOST MONKEY KEYBOARD KEYMAP AUTHOR AUTHOR_NAME TOKENIZERS_PARALLELISM BYPASS COMPASS_HOME XAUTHORITY AWSOME GHOST GHC_VERSION GOPATH PASSING DATABASE_URL SECRETARY COOKIECUTTER_CONFIG'.split(
      ' ',
    ),
  )('%s is none', (name) => {
    expect(isCredential(name, '/some/value:8080')).toBe(false);
  });

  it.each([
    ['postgres://una:secret@localhost:5432/db', true],
    ['redis://:secret@localhost', true],
    ['jdbc:postgresql://una:secret@localhost/db', true],
    ['jdbc:postgresql://localhost/db?user=una&password=secret', true],
    ['https://a.example,https://una:secret@b.example', true],
    ['postgres://una@localhost:5432/db', false],
    ['postgres://localhost:5432/db', false],
    ['postgres://una:@localhost/db', false],
    ['https://example.com:8080/@scope/name', false],
    ['una:secret@localhost', false],
  ])('the value %s: %s', (value, is) => {
    expect(isCredential('DATABASE_URL', value)).toBe(is);
  });
});

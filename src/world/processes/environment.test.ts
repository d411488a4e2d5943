import { describe, expect, it } from 'vitest';
import { KNOWN_AGENTS } from '../../text/agents/known.ts';
import { agentEnvironment, environmentHash, gateEnvironment, leftOutOfGates, ownEnvironment } from './environment.ts';

const NOTHING = { set: {}, pass: [] };
const GUARDS = {
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '4',
  GIT_CONFIG_KEY_0: 'gc.auto',
  GIT_CONFIG_VALUE_0: '0',
  GIT_CONFIG_KEY_1: 'maintenance.auto',
  GIT_CONFIG_VALUE_1: 'false',
  GIT_CONFIG_KEY_2: 'core.fsync',
  GIT_CONFIG_VALUE_2: 'committed',
  GIT_CONFIG_KEY_3: 'credential.helper',
  GIT_CONFIG_VALUE_3: '',
};

describe('agentEnvironment', () => {
  it('hands on the usual variables and the git guards, nothing else', () => {
    const usual = {
      PATH: '/bin',
      LC_TIME: 'C',
      XDG_CONFIG_HOME: '/x',
      https_proxy: 'p',
      NO_PROXY: 'n',
      EMPTY: undefined,
    };
    const secret = { AWS_SECRET_ACCESS_KEY: 's', NPM_TOKEN: 't', LCX: 'no', PATHS: 'no', SSH_AUTH_SOCK: '/a' };
    const { EMPTY: _, ...expected } = usual;
    expect(agentEnvironment({ ...usual, ...secret }, NOTHING)).toEqual({ ...expected, ...GUARDS });
  });

  it('passes what the configuration names, by name or prefix', () => {
    const user = { ANTHROPIC_API_KEY: 'a', ANTHROPIC_MODEL: 'm', OPENAI_API_KEY: 'o', OPENAI_BASE: 'b' };
    const pass = ['ANTHROPIC_*', 'OPENAI_API_KEY', 'NOT_SET'];
    expect(agentEnvironment(user, { set: {}, pass })).toEqual({
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_MODEL: 'm',
      OPENAI_API_KEY: 'o',
      ...GUARDS,
    });
  });

  it('trip 14: claude gets the keys of a cloud only where it is set up for that cloud', () => {
    const pass = KNOWN_AGENTS.get('claude')?.passEnv ?? [];
    const user = { AWS_SECRET_ACCESS_KEY: 'a', GOOGLE_APPLICATION_CREDENTIALS: 'g', ANTHROPIC_API_KEY: 'k' };
    const given = (more: Record<string, string>, set: Record<string, string> = {}): readonly string[] => {
      const env = agentEnvironment({ ...user, ...more }, { pass, set });
      return Object.keys(user).filter((name) => name in env);
    };
    expect(given({})).toEqual(['ANTHROPIC_API_KEY']);
    expect(given({ CLAUDE_CODE_USE_BEDROCK: '0' })).toEqual(['ANTHROPIC_API_KEY']);
    expect(given({ CLAUDE_CODE_USE_BEDROCK: '1' })).toEqual(['AWS_SECRET_ACCESS_KEY', 'ANTHROPIC_API_KEY']);
    expect(given({}, { CLAUDE_CODE_USE_VERTEX: '1' })).toEqual(['GOOGLE_APPLICATION_CREDENTIALS', 'ANTHROPIC_API_KEY']);
  });

  it('never hands on where the user stands, or what speaks to git or to us', () => {
    const user = { PWD: '/main', OLDPWD: '/main', INIT_CWD: '/main', GIT_DIR: '/main/.git', RALPH_TOKEN: 't' };
    expect(agentEnvironment(user, { set: {}, pass: ['*'] })).toEqual(GUARDS);
  });

  it('leaves out names no shell can carry', () => {
    expect(
      agentEnvironment({ 'npm_config_//x/:_auth': 's', 'BASH_FUNC_f%%': '() { :; }' }, { set: {}, pass: ['*'] }),
    ).toEqual(GUARDS);
  });

  it('lets set values win, also over the guards', () => {
    const set = { PATH: '/mine', RALPH_LOOP_ID: 'l', GIT_EDITOR: 'ed' };
    expect(agentEnvironment({ PATH: '/bin' }, { set, pass: [] })).toEqual({ ...GUARDS, ...set });
  });

  it('keeps git settings that are set, and adds the guards behind them', () => {
    const set = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'n' };
    expect(agentEnvironment({}, { set, pass: [] })).toMatchObject({
      GIT_CONFIG_COUNT: '5',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_KEY_1: 'gc.auto',
      GIT_CONFIG_VALUE_3: 'committed',
      GIT_CONFIG_KEY_4: 'credential.helper',
    });
    const helper = { ...set, GIT_CONFIG_KEY_0: 'credential.helper', GIT_CONFIG_VALUE_0: 'store' };
    expect(Object.values(agentEnvironment({}, { set: helper, pass: [] })), 'asked for by name').not.toContain('');
  });

  it('refuses values that cannot be passed on, naming the variable', () => {
    const refusal = (name: string): object => ({ code: 'E_ENVIRONMENT', message: expect.stringContaining(name) });
    expect(() => agentEnvironment({ HOME: 'a\0b' }, NOTHING)).toThrow(expect.objectContaining(refusal('HOME')));
    for (const value of ['a\0b', 'a\nb']) {
      expect(() => agentEnvironment({}, { set: { KEY: value }, pass: [] })).toThrow(
        expect.objectContaining(refusal('KEY')),
      );
    }
    expect(() => agentEnvironment({}, { set: { 'A-B': '' }, pass: [] })).toThrow(
      expect.objectContaining(refusal('A-B')),
    );
    expect(agentEnvironment({ LC_X: 'a\nb' }, NOTHING)).toMatchObject({ LC_X: 'a\nb' });
  });
});

describe('gateEnvironment', () => {
  it('is the user environment without what leads to another checkout', () => {
    const user = {
      PATH: '/bin',
      API_KEY: 'k',
      NONE: undefined,
      PWD: '/m',
      OLDPWD: '/m',
      INIT_CWD: '/m',
      GIT_DIR: 'g',
      RALPH_X: 'r',
    };
    expect(ownEnvironment(user)).toEqual({ PATH: '/bin', API_KEY: 'k' });
    expect(gateEnvironment(user, [])).toEqual({ PATH: '/bin' });
    expect(leftOutOfGates(user, [])).toEqual(['API_KEY']);
  });

  it('lets in what is passed by name or prefix, and never what leads to another checkout', () => {
    const user = { API_KEY: 'k', AWS_REGION: 'r', AWS_PROFILE: 'p', GIT_DIR: 'g', RALPH_LOOP_ID: 'l' };
    expect(gateEnvironment(user, ['AWS_*', 'GIT_*', 'RALPH_LOOP_ID'])).toEqual({ AWS_REGION: 'r', AWS_PROFILE: 'p' });
    expect(leftOutOfGates(user, ['AWS_*'])).toEqual(['API_KEY']);
  });
});

describe('environmentHash', () => {
  const env = { PATH: '/bin', CI: '1', HOME: '/h' };

  it('is twelve digits that depend on what a gate is given, in any order', () => {
    expect(environmentHash(env, [])).toMatch(/^[0-9a-f]{12}$/);
    expect(environmentHash({ HOME: '/h', CI: '1', PATH: '/bin', NONE: undefined }, [])).toBe(environmentHash(env, []));
    for (const other of [
      { ...env, CI: '2' },
      { ...env, MORE: '' },
      { PATH: '/bin', CI: '1/h', HOME: '' },
    ])
      expect(environmentHash(other, [])).not.toBe(environmentHash(env, []));
  });

  it('depends on credentials only where they are passed', () => {
    expect(environmentHash({ ...env, API_KEY: 'a' }, [])).toBe(environmentHash(env, []));
    expect(environmentHash({ ...env, API_KEY: 'a' }, ['API_KEY'])).not.toBe(environmentHash(env, ['API_KEY']));
  });

  it('is the same in another terminal', () => {
    const terminal = {
      TERM: 'x',
      COLUMNS: '80',
      SHLVL: '2',
      PWD: '/p',
      OLDPWD: '/o',
      TMUX: 't',
      TMUX_PANE: '%1',
      _: 'x',
    };
    const login = { SSH_TTY: '/t', SSH_AUTH_SOCK: '/s', XDG_SESSION_ID: '7', GIT_DIR: 'g', RALPH_X: 'r' };
    expect(environmentHash({ ...env, ...terminal, ...login }, [])).toBe(environmentHash(env, []));
  });
});

import { describe, expect, it } from 'vitest';
import { apiOf, kindOfHost, parseAddress } from './address.ts';

describe('the address of a forge', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'github.com', 'https://github.com', 'acme', 'shop'],
    ['https://me:x@github.com/acme/shop', 'github.com', 'https://github.com', 'acme', 'shop'],
    ['git@github.com:acme/shop.git', 'github.com', 'https://github.com', 'acme', 'shop'],
    ['ssh://git@git.example.com:2222/acme/shop.git', 'git.example.com', 'https://git.example.com', 'acme', 'shop'],
    ['http://127.0.0.1:3000/acme/shop.git', '127.0.0.1:3000', 'http://127.0.0.1:3000', 'acme', 'shop'],
    ['http://git.example.com/acme/shop', 'git.example.com', 'https://git.example.com', 'acme', 'shop'],
  ])('is read from %s', (url, host, origin, owner, name) => {
    expect(parseAddress(url)).toEqual({ host, origin, owner, name });
  });

  it.each(['/srv/git/shop.git', '../shop', 'file:///srv/shop.git', 'C:\\shop', ''])('is none in %s', (url) => {
    expect(parseAddress(url)).toBeNull();
  });

  it('tells the kind where the name of the host does, and where it answers', () => {
    expect(kindOfHost('github.com')).toBe('github');
    expect(kindOfHost('codeberg.org')).toBe('gitea');
    expect(kindOfHost('notgithub.com')).toBeNull();
    expect(kindOfHost('git.example.com')).toBeNull();
    expect(apiOf('github', 'https://github.com')).toBe('https://api.github.com');
    expect(apiOf('github', 'https://git.example.com/')).toBe('https://git.example.com/api/v3');
    expect(apiOf('gitea', 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000/api/v1');
  });
});

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirect_traps } from '../../checks/security/oauth/redirect-traps.ts'
import { safePath } from './sign-in.ts'

const site = { site: { public_url: 'https://svc.example' } } as Parameters<typeof safePath>[1]

test('a sign-in returns only to a path of this site', () => {
  for (const path of ['/docs?a=b', '/', '/console/#x', '/a/../b']) {
    const url = new URL(safePath(path, site), site.site.public_url)
    assert.equal(url.origin, site.site.public_url, path)
  }
  assert.equal(safePath('/docs?a=b', site), '/docs?a=b')
  for (const trap of [...redirect_traps, undefined])
    assert.equal(safePath(trap, site), './sign-out', String(trap))
  assert.equal(safePath('//evil.example', site, '/elsewhere'), '/elsewhere')
})

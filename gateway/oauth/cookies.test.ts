import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cookieText, readCookie } from './cookies.ts'
import { openSite } from './site.ts'

const text = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)

test('a set cookie is read back, among any others', () => {
  const site = openSite()
  site.settle('https://svc.example/')
  fc.assert(
    fc.property(text, fc.array(fc.tuple(text, text)), (value, others) => {
      const [pair] = cookieText(site, 'svc_session', value, 60).split(';')
      const header = [...others.map(([name, other]) => `x${name}=${other}`), pair].join('; ')
      assert.equal(readCookie(header, '__Host-svc_session'), value)
    }),
  )
})

test('a repeated cookie, a longer name and an endless header are ignored', () => {
  assert.equal(readCookie('a=1; a=2', 'a'), undefined)
  assert.equal(readCookie('a=1; a=1', 'a'), undefined)
  assert.equal(readCookie('aa=1; b=a=1', 'a'), undefined)
  assert.equal(readCookie(`a=1; b=${'x'.repeat(9000)}`, 'a'), undefined)
  assert.equal(readCookie(undefined, 'a'), undefined)
  assert.equal(readCookie('a=', 'a'), '')
})

test('cookies are for the whole site, and bound to it by their name under https', () => {
  const site = openSite()
  site.settle('https://svc.example')
  assert.equal(
    cookieText(site, 'svc_session', 'v', 60),
    '__Host-svc_session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  )
  site.settle('http://127.0.0.1:8080')
  assert.equal(
    cookieText(site, 'svc_session', 'v', 0),
    'svc_session=v; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  )
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Flags, Terminal } from './command.ts'
import { findSources, shownSettings } from './setting-sources.ts'
import { settingsOf } from './settings.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-sources-'))
after(() => rmSync(home, { recursive: true, force: true }))
mkdirSync(join(home, '.svc'))
const path = join(home, '.svc/config.json')

const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values, '', '  '), { nil: undefined })
const url = (place: string) => maybe(`https://${place}.example`)
const did = maybe('did:oas:one:agent:1', 'did:oas:two:agent:2')
const place = (name: string) => ({
  api_url: url(name),
  api_key: maybe(`svc_test_${name.padEnd(8, 'x')}_secret`),
  agent_did: did,
  tenant_id: maybe(`tenant-${name}`),
})

const seed = (letter: string) => maybe(letter.repeat(43))

type Keys = Readonly<Record<string, string | undefined>>

/** At the nearest place that names a key. */
function hasTwoKeys(...places: readonly Keys[]): boolean {
  const isSet = (text: string | undefined) => (text ?? '').trim() !== ''
  const keys = places.map(({ api_key, access_token, private_key }) => [
    isSet(api_key) || isSet(access_token),
    isSet(private_key),
  ])
  const [has_key, has_own] = keys.find(([has_key, has_own]) => has_key || has_own) ?? []
  return has_key === true && has_own === true
}

test('each value is the one the SDK resolves, and its source is where it is set', () => {
  const everywhere = fc.record({
    flag: fc.record(place('flag')),
    env: fc.record({ ...place('env'), private_key: seed('E') }),
    file: fc.record({ ...place('file'), access_token: maybe('eyJfile'), private_key: seed('A') }),
  })
  fc.assert(
    fc.property(everywhere, ({ flag, env, file }) => {
      writeFileSync(path, JSON.stringify(file), { mode: 0o600 })
      const flags: Flags = Object.fromEntries(
        Object.entries(flag).map(([name, value]) => [name.replace('_', '-'), value]),
      )
      const variables = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [`SVC_${name.toUpperCase()}`, value]),
      )
      const terminal = { env: variables, home } as unknown as Terminal
      const sources = findSources(flags, terminal)
      const key = sources.api_key ?? sources.private_key
      const is_enough = sources.api_url && key && sources.agent_did && !hasTwoKeys(flag, env, file)
      if (!is_enough) return assert.throws(() => settingsOf(flags, terminal), { code: 'not_configured' })
      const values = Object.fromEntries(
        Object.entries(sources).flatMap(([name, sourced]) => (sourced ? [[name, sourced.value]] : [])),
      )
      const printed = JSON.stringify(shownSettings(sources))
      assert.ok(!printed.includes('_secret') && !/[AE]{43}/.test(printed), printed)
      assert.deepEqual(values, settingsOf(flags, terminal))
      for (const [name, sourced] of Object.entries(sources)) {
        if (!sourced) continue
        const values_by_source = {
          [`--${name.replace('_', '-')}`]: flag,
          [`SVC_${name.toUpperCase()}`]: env,
          [path]: file,
        }
        const standing = values_by_source[sourced.source] as Record<string, string | undefined> | undefined
        if (standing === undefined) assert.equal(sourced.source, 'the tenant of the DID')
        else
          assert.ok(
            [standing[name], standing.access_token].includes(sourced.value),
            `${name} of ${sourced.source}`,
          )
      }
    }),
    { numRuns: 300 },
  )
})

// The code rules a machine can check: imports, names, sizes, banned calls. Each rule is also shown to fail
// once.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { findBannedCalls, findChance, findTimers, findUnfinished } from './tidy/calls.ts'
import { findWrongImports } from './tidy/imports.ts'
import { findMorePackages } from './tidy/packages.ts'
import { findSteepPatterns } from './tidy/patterns.ts'
import { findRealTime } from './tidy/real-time.ts'
import { findNamedDids } from './tidy/sentences.ts'
import { findBannedNames, findLongFiles, findLongFunctions } from './tidy/shape.ts'
import { type Finding, readSources } from './tidy/source.ts'
import { findTestOnlyModules } from './tidy/test-only.ts'
import { arrowsOf, findBrokenWalls, findCycles, listedArrows } from './tidy/walls.ts'
import { findEmptyNames, findOutWords } from './tidy/words.ts'

const root = join(import.meta.dirname, '..')
const ours = readSources(root)

function assertNone(findings: readonly Finding[]): void {
  assert.equal(findings.map(({ path, line, advice }) => `${path}:${line}: ${advice}`).join('\n'), '')
}

test('every file is type-checked', () => {
  const advice = 'no tsconfig.json covers it; add its folder to "include"'
  assertNone(ours.uncovered.map((path) => ({ path, line: 1, advice })))
  assert.ok(ours.sources.length > 50, 'the repository was not found')
})
test('imports follow the permitted directions', () => assertNone(findWrongImports(ours.sources)))
test('a folder of a plane is imported by its api.ts', () => assertNone(findBrokenWalls(ours.sources)))
test('ARCHITECTURE.md lists exactly what planes use of each other', () => {
  const page = readFileSync(join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8')
  assert.deepEqual(arrowsOf(ours.sources), listedArrows(page))
})
test('there are no import cycles', () => assertNone(findCycles(ours.sources)))
test('files and folders have specific names', () => assertNone(findBannedNames(ours.sources)))
test('files are short', () => assertNone(findLongFiles(ours.sources)))
test('functions are short', () => assertNone(findLongFunctions(ours.sources)))
test('clock, randomness, environment, printing and default exports are only in permitted places', () => {
  assertNone(findBannedCalls(ours.sources))
})
test('ids, random bytes and durations come through ports', () => assertNone(findChance(ours.sources)))
test('timers stay at the edge of the service', () => assertNone(findTimers(ours.sources)))
test('what only tests use is not in the product', () => assertNone(findTestOnlyModules(ours.sources)))
test('the number of production packages does not grow', () => {
  const lock = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
  assertNone(findMorePackages(JSON.parse(lock)))
})
test('patterns take steps in proportion to the text', () => assertNone(findSteepPatterns(ours.sources)))
test('real time decides no test', () => assertNone(findRealTime(ours.sources)))
test('replaced words are not used', () => assertNone(findOutWords(ours.sources, root)))
test('sentences of refusals show no DIDs', () => assertNone(findNamedDids(ours.sources)))
test('locals have specific names', () => assertNone(findEmptyNames(ours.sources)))
test('nothing on main is unfinished', () => assertNone(findUnfinished(ours.sources)))

// A small repository that breaks every rule, one file per violation, beside files that break none.
const long = (lines: number) => 'export const a = [\n' + '  1,\n'.repeat(lines - 2) + ']\n'
const body = (lines: number) => '{\n' + '  void 0\n'.repeat(lines - 2) + '}'
const unfinished = 'TO' + 'DO'
const broken_files: Record<string, string> = {
  'contract/good.ts': `import { Type } from 'typebox'\nimport { b } from './other.ts'\nexport const a = [Type, b, new Date(0), Date.parse('x')]\n`,
  'contract/other.ts': 'export const b = 1\n',
  'contract/up.ts': `import { a } from '@svc/engine/ports'\nexport const b = a\n`,
  'contract/up.test.ts': `import { a } from '../checks/database.ts'\nvoid a\n`,
  'engine/ports.ts': 'export const a = 1\n',
  'engine/dynamic.ts': `export const load = () => import('@svc/protocols/truth/mave/mave')\n`,
  'engine/relative.ts': `export { a } from '../adapters/clock/system.ts'\n`,
  'engine/ports.test.ts': `import { a } from '../checks/database.ts'\nimport { b } from '@svc/protocols/truth/mave/mave'\nvoid [a, b]\n`,
  'checks/database.ts': `import { a } from '@svc/engine/ports'\nexport { a }\nexport const now = Date.now()\n`,
  'protocols/truth/mave/mave.ts': `import { a } from '../../economic/mana/mana.ts'\nimport { c } from '../same/api.ts'\nexport const b = [a, c]\n`,
  'protocols/truth/same/api.ts': `export { c } from './same.ts'\n`,
  'protocols/truth/same/same.ts': `import { b } from '@svc/contract/other'\nexport const c = b\n`,
  'protocols/economic/mana/mana.ts': `import { a } from '@svc/protocols/economic/other'\nexport { a }\n`,
  'protocols/economic/mana/mana.test.ts': `import { b } from '../../truth/mave/mave.ts'\nvoid b\n`,
  'protocols/economic/dids.ts': `declare const [refuse, did, caller]: any[]\nexport const a = refuse('x', \`\${did} may not\`)\nexport const b = refuse('x', 'a' + \`\${caller.did}; ask\`)\nexport const c = refuse('x', \`\${caller.kind} may not\`, { did, text: \`\${did}\` })\n`,
  'catalogue/protocols.ts': `export { b } from '@svc/protocols/truth/mave/mave'\nexport { c } from '@svc/protocols/truth/same/same'\nexport { d } from '@svc/protocols/truth/mave/round'\n`,
  'protocols/truth/mave/round.ts': `import type { E } from './about.ts'\nexport const d: E = 1\n`,
  'protocols/truth/mave/about.ts': `import { d } from './round.ts'\nexport type E = typeof d | number\n`,
  'clients/cli/main.ts': `import { a } from '@svc/contract/good'\nconsole.log(a, process.env)\n`,
  'adapters/clock/system.ts': 'export const a = [Date.now(), Math.random(), setTimeout]\n',
  'adapters/string-utils.ts': 'export const a = 1\n',
  'adapters/shared/a.ts': 'export const a = 1\n',
  'adapters/long.ts': long(301),
  'adapters/long.test.ts': long(400),
  'adapters/longer.test.ts': long(401),
  'adapters/functions.ts': `export function short() ${body(60)}\nexport function far() ${body(61)}\nexport const arrow = () => ${body(62)}\nexport class C {\n  method() ${body(63)}\n}\n`,
  'adapters/suite.test.ts': `import { describe } from 'node:test'\ndescribe('x', () => ${body(90)})\n`,
  'engine/clock.ts': `export const a = [Date.now(), new Date(), new Date, Date()]\nconst said = 'Date.now()' // Date.now()\nexport { said }\n`,
  'engine/chance.ts': 'export const a = Math.random()\n',
  'engine/draws.ts': `import { createHash, randomUUID } from 'node:crypto'\nexport const a = [createHash, randomUUID]\nexport const b = globalThis.crypto.getRandomValues\nexport const c = performance.now()\n`,
  'engine/hashes.ts': `import { createHash } from 'node:crypto'\nexport const a = (clock: any) => [createHash, clock.randomBytes(1)]\n`,
  'engine/pattern.ts': 'export const a = [/\\s+$/, /^\\s+$/]\n',
  'engine/pattern.test.ts': 'export const a = /\\s+$/\n',
  'engine/environment.ts': 'export const { a } = process.env\n',
  'engine/print.ts': `console.error('x')\nexport const a = { console: 1 }.console\n`,
  'engine/default.ts': 'export default function named() {}\n',
  'engine/default-value.ts': 'const a = 1\nexport default a\n',
  'engine/switch.ts':
    'export function f(a: number) {\n  switch (a) {\n    default:\n      return 1\n  }\n}\n',
  'engine/timer.ts': `export const a = setInterval(() => {}, 1)\n`,
  'engine/sleep.ts': `import { setTimeout as sleep } from 'node:timers/promises'\nexport const a = sleep\n`,
  'engine/sleep.test.ts': `import { setTimeout as sleep } from 'node:timers/promises'\nawait sleep(1)\n`,
  'engine/wait.test.ts': `export const a = (t: any) => t.waitFor(() => {})\nexport const b = (t: any) => t.waitFor(() => {}, { timeout: 1 })\nexport const c = { timeout: 20_000 }\n`,
  'engine/spent.test.ts': `export const a = performance.now()\nexport const b = process.cpuUsage()\n`,
  'checks/timed.ts': `export const a = setTimeout(() => {}, 1)\n`,
  'checks/bench/speed.ts': `export const a = performance.now()\n`,
  'clients/cli/wait.test.ts': `export const a = (t: any) => t.waitFor(() => {}, { timeout: 180_000 })\n`,
  'engine/for-tests.ts': 'export const a = 1\n',
  'engine/loaded.ts': 'export const a = 1\n',
  'engine/test-scene.ts': `export { a } from './for-tests.ts'\n`,
  'engine/scene.test.ts': `export { a } from './test-scene.ts'\nexport { a as b } from './loaded.ts'\n`,
  'service/loads.ts': `export const a = import.meta.resolve('@svc/engine/loaded')\n`,
  'engine/words.ts': `// The front-door criterion, and a purse.\nexport const openDoor = (book_access: string) => book_access\n`,
  'engine/names.ts': `export const f = (found: number, { held, a: kept }: any) => [found, held, kept]\n`,
  'page.md': '# A page\n\nWhat came of it stands in the audit book.\n',
  'docs/decisions/0001.md': 'The audit book.\n',
  'engine/later.ts': `// ${unfinished}: later\nexport const a = 1\n`,
}

const folder = mkdtempSync(join(tmpdir(), 'svc-tidy-'))
after(() => rmSync(folder, { recursive: true }))
for (const [path, text] of Object.entries({ ...broken_files, 'outside/a.ts': 'export const a = 1\n' })) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const folders = Object.keys(broken_files).filter((path) => path.endsWith('.ts'))
const include = [...new Set(folders.map((path) => path.split('/')[0]))]
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { noEmit: true }, include }))
const broken = readSources(folder)

function places(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line }) => `${path}:${line}`).sort()
}

test('a file outside every tsconfig.json is named', () =>
  assert.deepEqual(broken.uncovered, ['outside/a.ts']))

test('wrong imports are found, in every import syntax', () => {
  assert.deepEqual(places(findWrongImports(broken.sources)), [
    'clients/cli/main.ts:1',
    'contract/up.test.ts:1',
    'contract/up.ts:1',
    'engine/dynamic.ts:1',
    'engine/ports.test.ts:2',
    'engine/relative.ts:1',
    'protocols/economic/mana/mana.ts:1',
  ])
})

test('bypassed api.ts files are found, dependencies are read from code and page, and cycles through types are found', () => {
  assert.deepEqual(places(findBrokenWalls(broken.sources)), [
    'catalogue/protocols.ts:3',
    'engine/dynamic.ts:1',
    'protocols/truth/mave/mave.ts:1',
  ])
  assert.deepEqual(arrowsOf(broken.sources), ['truth uses economic/mana'])
  const table = '| plane | uses |\n| --- | --- |\n| truth | economic/mana, awareness/max |\n'
  assert.deepEqual(listedArrows(`## What planes use of each other\n\n${table}\n## Next\n\n| a | b |\n`), [
    'truth uses awareness/max',
    'truth uses economic/mana',
  ])
  assert.deepEqual(places(findCycles(broken.sources)), ['protocols/truth/mave/about.ts:1'])
})

test('DIDs in sentences of refusals are found, in details they are not', () => {
  assert.deepEqual(places(findNamedDids(broken.sources)), [
    'protocols/economic/dids.ts:2',
    'protocols/economic/dids.ts:3',
  ])
})

test('replaced words are found in names, comments and pages, not in history and database names', () => {
  assert.deepEqual(places(findOutWords(broken.sources, folder)), [
    'engine/words.ts:1',
    'engine/words.ts:2',
    'page.md:3',
    'page.md:3',
    'page.md:3',
  ])
  assert.deepEqual(places(findEmptyNames(broken.sources)), [
    'engine/clock.ts:2',
    'engine/names.ts:1',
    'engine/names.ts:1',
  ])
})

test('modules that only tests use are found', () => {
  assert.deepEqual(places(findTestOnlyModules(broken.sources)), ['engine/for-tests.ts:1'])
})

test('banned names are found in files and folders', () => {
  assert.deepEqual(places(findBannedNames(broken.sources)), [
    'adapters/shared/a.ts:1',
    'adapters/string-utils.ts:1',
  ])
})

test('length is measured, and the list of exceptions only shrinks', () => {
  assert.deepEqual(places(findLongFiles(broken.sources)), ['adapters/long.ts:1', 'adapters/longer.test.ts:1'])
  assert.deepEqual(places(findLongFunctions(broken.sources)), [
    'adapters/functions.ts:122',
    'adapters/functions.ts:185',
    'adapters/functions.ts:61',
  ])
  const listed = { 'adapters/long.ts': 301, 'adapters/longer.test.ts': 400, 'adapters/clock/system.ts': 500 }
  assert.deepEqual(places(findLongFiles(broken.sources, listed)), [
    'adapters/longer.test.ts:1',
    'checks/tidy/shape.ts:1',
  ])
  const functions = {
    'adapters/functions.ts#far': 61,
    'adapters/functions.ts#arrow': 62,
    'adapters/functions.ts#method': 63,
  }
  assert.deepEqual(findLongFunctions(broken.sources, functions), [])
})

test('banned calls are found in code, not in strings and comments', () => {
  assert.deepEqual(places(findBannedCalls(broken.sources)), [
    'engine/chance.ts:1',
    'engine/clock.ts:1',
    'engine/clock.ts:1',
    'engine/clock.ts:1',
    'engine/clock.ts:1',
    'engine/default-value.ts:2',
    'engine/default.ts:1',
    'engine/environment.ts:1',
    'engine/print.ts:1',
    'engine/wait.test.ts:1',
    'engine/wait.test.ts:3',
  ])
})

test('real time in tests is found, and so is an unnecessary exception', () => {
  const exceptions = { 'checks/timed.ts': 'has a reason', 'engine/ports.test.ts': 'has none any more' }
  assert.deepEqual(places(findRealTime(broken.sources, exceptions)), [
    'checks/database.ts:3',
    'checks/tidy/real-time.ts:1',
    'engine/sleep.test.ts:1',
    'engine/spent.test.ts:1',
    'engine/spent.test.ts:2',
    'engine/wait.test.ts:1',
    'engine/wait.test.ts:2',
  ])
})

test('randomness is found, and an unnecessary exception', () => {
  const drawn = ['engine/draws.ts:1', 'engine/draws.ts:3', 'engine/draws.ts:4']
  assert.deepEqual(places(findChance(broken.sources, {})), drawn)
  const exceptions = { 'engine/draws.ts': 'why', 'engine/hashes.ts': 'why' }
  assert.deepEqual(places(findChance(broken.sources, exceptions)), ['checks/tidy/calls.ts:1'])
})

test('timers are found, and an unnecessary exception', () => {
  assert.deepEqual(places(findTimers(broken.sources, {})), ['engine/sleep.ts:1', 'engine/timer.ts:1'])
  const exceptions = { 'engine/timer.ts': 'why', 'engine/ports.ts': 'why' }
  assert.deepEqual(places(findTimers(broken.sources, exceptions)), [
    'checks/tidy/calls.ts:1',
    'engine/sleep.ts:1',
  ])
})

test('production packages are counted without development, links and our own folders', () => {
  const others = { 'node_modules/a': {}, 'node_modules/a/node_modules/b': {}, 'engine/node_modules/c': {} }
  const packages = { '': {}, engine: {}, 'node_modules/e': { link: true }, 'node_modules/d': { dev: true } }
  const lock = { packages: { ...packages, ...others } }
  assert.deepEqual(findMorePackages(lock, 3), [])
  assert.deepEqual(places(findMorePackages(lock, 2)), ['package-lock.json:1'])
  assert.deepEqual(places(findMorePackages(lock, 4)), ['checks/tidy/packages.ts:1'])
})

test('a pattern that backtracks too much is found', () => {
  assert.deepEqual(places(findSteepPatterns(broken.sources)), ['engine/pattern.ts:1'])
})
test('unfinished work is found', () =>
  assert.deepEqual(places(findUnfinished(broken.sources)), ['engine/later.ts:1']))

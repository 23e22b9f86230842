import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { watPlugin, withMore } from '../../checks/plugins/wat-plugin.ts'
import { childrenOf, commandOf } from '../../checks/security/process-memory.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { system_clock } from '../clock/system.ts'
import manifest from '../package.json' with { type: 'json' }
import { translate, translator_package, Unloadable } from './translate.ts'

const memory_bytes_max = 64 * 1024 * 1024

test('a component becomes glue and modules, one after the other in an unnamed file', async () => {
  const { file, glue, modules, close } = await translate(await watPlugin(), memory_bytes_max, system_clock)
  try {
    assert.equal((await file.stat()).nlink, 0)
    const extents = [glue, ...Object.values(modules)]
    assert.ok(extents.length >= 2)
    const bytes = Buffer.alloc(4)
    for (const { offset } of Object.values(modules)) {
      await file.read(bytes, 0, 4, offset)
      assert.equal(bytes.toString('latin1'), '\0asm')
    }
    const ends = extents.map(({ offset, length }) => offset + length)
    assert.equal((await file.stat()).size, Math.max(...ends))
  } finally {
    await close()
  }
})

test('a component that breaks the translator cannot be loaded, and has no other effect', async () => {
  const breaking = await parse('(component (import "url=<https://example.org>" (func)))')
  await assert.rejects(translate(breaking, memory_bytes_max, system_clock), Unloadable)
})

test('whoever lacks the translator is told the version that is tested', () => {
  const [[name, version]] = Object.entries(manifest.devDependencies) as [[string, string]]
  assert.equal(translator_package, `${name}@${version}`)
})

test('a translation does not outlive an engine that is killed', async (t) => {
  const long = await withMore(await watPlugin(), '(type (list u8))'.repeat(100_000))
  const engine = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { text } from 'node:stream/consumers'
       import { translate } from ${JSON.stringify(import.meta.resolve('./translate.ts'))}
       const component = Buffer.from(await text(process.stdin), 'base64')
       await translate(component, ${memory_bytes_max}, { uuid: () => String(process.pid) })`,
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  )
  t.after(() => engine.kill('SIGKILL'))
  engine.stdin.end(Buffer.from(long).toString('base64'))
  const below = () => childrenOf(engine.pid!).filter((pid) => commandOf(pid) !== '')
  await eventually(() => assert.ok(below().length >= 2))
  const pids = below()
  engine.kill('SIGKILL')
  await once(engine, 'exit')
  await eventually(() => assert.ok(pids.every((pid) => commandOf(pid) === '')))
})

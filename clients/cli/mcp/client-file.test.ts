// Existing content of a client's settings file is preserved.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { mergeServer, readClientFile, writeClientFile } from './client-file.ts'

const entry = { command: 'svc', args: ['mcp', 'serve'] }

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-mcp-file-'))
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('merging keeps every other server and setting, and merging again changes nothing', () => {
  const servers = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      servers,
      fc.constantFrom('\t', '    '),
      (rest, old_servers, by) => {
        const value = JSON.parse(JSON.stringify({ ...rest, mcpServers: old_servers }))
        const text = JSON.stringify(value, null, by)
        const once = mergeServer({ text, value }, 'mcpServers', 'svc', entry, 'x')
        const after = JSON.parse(once.text)
        const { svc, ...others } = after.mcpServers
        const { svc: _, ...held_before } = value.mcpServers
        assert.deepEqual(others, held_before)
        assert.deepEqual([svc.command, svc.args], [entry.command, entry.args])
        assert.deepEqual({ ...after, mcpServers: null }, { ...value, mcpServers: null })
        const again = mergeServer({ text: once.text, value: after }, 'mcpServers', 'svc', entry, 'x')
        assert.equal(again.text, once.text)
      },
    ),
    { numRuns: 200 },
  )
})

test('other fields of the entry stay, and the old way to reach it is removed', () => {
  const value = { servers: { svc: { type: 'http', url: 'https://old', env: { A: '1' }, disabled: true } } }
  const { text, replaced } = mergeServer({ text: '', value }, 'servers', 'svc', entry, 'x')
  assert.ok(replaced)
  assert.deepEqual(JSON.parse(text).servers.svc, { ...entry, env: { A: '1' }, disabled: true })
})

test('the file keeps its indentation, permissions and symlink, and gets a backup', async (t) => {
  const dir = folder(t)
  const [real, link] = [join(dir, 'real.json'), join(dir, 'mcp.json')]
  writeFileSync(real, '{\n\t"a": 1\n}\n', { mode: 0o640 })
  symlinkSync(real, link)
  const before = await readClientFile(link, '')
  const { text } = mergeServer(before, 'mcpServers', 'svc', entry, link)
  const backup = await writeClientFile(link, text, before)
  assert.equal(readFileSync(backup!, 'utf8'), '{\n\t"a": 1\n}\n')
  assert.match(readFileSync(real, 'utf8'), /^\{\n\t"a": 1,\n\t"mcpServers"/)
  assert.equal(statSync(real).mode & 0o777, 0o640)
  assert.deepEqual(readdirSync(dir).sort(), ['mcp.json', 'mcp.json.bak', 'real.json'])
})

test('a file that is not a plain JSON object is not changed, and the message contains what to add', async (t) => {
  const path = join(folder(t), 'mcp.json')
  for (const text of ['{ // a comment\n}', '{"a":', '[]', '7']) {
    writeFileSync(path, text)
    await assert.rejects(readClientFile(path, 'THE SNIPPET'), /not changed[\s\S]*THE SNIPPET/)
    assert.equal(readFileSync(path, 'utf8'), text)
  }
  writeFileSync(path, '{"mcpServers": []}')
  const file = await readClientFile(path, '')
  assert.throws(() => mergeServer(file, 'mcpServers', 'svc', entry, path), /is not an object/)
  await assert.rejects(readClientFile(folder(t), ''), /not a plain settings file/)
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCommand } from '@svc/contract/needs/commands'
import { reader } from './reader.ts'
import { readToolSettings } from './tool-settings.ts'

const read = (env: Record<string, string>) => readToolSettings(reader(env, 'up'))
const files = { command: '/usr/bin/mcp-files', args: ['--root', '/srv'], env: { DEPTH: '3' } }

test('nothing is allowed unless the operator says so', () => {
  const { commands, tool_hosts, tool_secrets } = read({})
  assert.deepEqual([commands.size, tool_hosts.length, tool_secrets.size], [0, 0, 0])
  assert.equal(findCommand(commands, '__proto__', 'acme'), undefined)
})

test('a command has its own environment, a search path, and nothing else', () => {
  const env = { PATH: '/bin', LANG: 'de_DE.UTF-8', SVC_MASTER_KEY: 'secret' }
  const { commands } = read({
    ...env,
    SVC_COMMANDS: JSON.stringify({ files, mine: { ...files, tenants: ['acme'] } }),
  })
  const expected = { PATH: '/bin', LANG: 'de_DE.UTF-8', DEPTH: '3' }
  assert.deepEqual(findCommand(commands, 'files', 'acme'), { ...files, env: expected, idempotent: false })
  assert.ok(findCommand(commands, 'mine', 'acme'))
  assert.equal(findCommand(commands, 'mine', 'rival'), undefined)
})

test('the table may be in a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-settings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'commands.json')
  writeFileSync(path, JSON.stringify({ files }))
  assert.ok(read({ SVC_COMMANDS: `@${path}` }).commands.get('files'))
  assert.throws(() => read({ SVC_COMMANDS: `@${path}.not` }), /names .*\.not, which cannot be read/)
})

test('hosts and secrets are read, and a secret names where it may be sent', () => {
  const token = { headers: { Authorization: 'Bearer x' }, hosts: ['MCP.example'] }
  const { tool_hosts, tool_secrets } = read({
    SVC_TOOL_HOSTS: ' MCP.example, 127.0.0.1:3001,[::1]:3001 ',
    SVC_TOOL_SECRETS: JSON.stringify({ token }),
  })
  assert.deepEqual(tool_hosts, ['mcp.example', '127.0.0.1:3001', '[::1]:3001'])
  assert.deepEqual(tool_secrets.get('token'), { ...token, hosts: ['mcp.example'] })
})

test('faults are named in one sentence, and a secret is not repeated', () => {
  const wrong: [string, unknown, RegExp][] = [
    ['SVC_COMMANDS', 'no json', /must be a JSON object/],
    ['SVC_COMMANDS', [], /must be a JSON object/],
    ['SVC_COMMANDS', { 'a b': files }, /names a b; a name has/],
    ['SVC_COMMANDS', { x: {} }, /x needs command/],
    ['SVC_COMMANDS', { x: { command: 'a', args: 'b' } }, /args must be a list/],
    ['SVC_COMMANDS', { x: { command: 'a', env: { HOME: '/' } } }, /may not set HOME/],
    ['SVC_COMMANDS', { x: { command: 'a', shell: true } }, /a field shell; it may have/],
    ['SVC_COMMANDS', { x: { command: 'a', idempotent: 1 } }, /idempotent is true or false/],
    ['SVC_TOOL_HOSTS', 'https://mcp.example', /names https:\/\/mcp.example; it must be hosts/],
    ['SVC_TOOL_SECRETS', { x: { headers: { A: 'b' } } }, /needs hosts/],
    ['SVC_TOOL_SECRETS', { x: { headers: { A: 'b\r\nC: d' }, hosts: ['h'] } }, /needs headers/],
  ]
  for (const [name, value, sentence] of wrong) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    assert.throws(() => read({ [name]: text }), sentence, text)
  }
  assert.throws(
    () => read({ SVC_TOOL_SECRETS: '{"x": hunter2' }),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

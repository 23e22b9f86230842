// Every command and operation that a message names exists.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { commands } from '../../clients/cli/commands.ts'
import { next_steps } from '../../clients/cli/output/next-steps.ts'

const root = join(import.meta.dirname, '../..')
const operations = new Set(
  catalogue.flatMap(({ id, operations: all }) => Object.keys(all).map((name) => `${id} ${name}`)),
)
const protocol_ids = catalogue.map(({ id }) => id)

/** The texts in the sources of these folders; tests and comments do not count. */
function textsOf(...folders: string[]): string[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  return files
    .filter((path) => !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => readFileSync(join(root, path), 'utf8').split('\n'))
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
}

/** What is wrong with the svc commands in a text; placeholders such as <command> are not names. */
function commandFaults(text: string): string[] {
  return [...text.matchAll(/\bsvc ([a-z]+)(?: ([a-z]+)\b)?/g)].flatMap(([shown, name, next]) => {
    if (name === 'help') return []
    const command = Object.hasOwn(commands, name!) ? commands[name!] : undefined
    if (!command) return [`${shown}: no such command`]
    const { subcommands } = command
    const is_named = subcommands && next !== undefined && followsDirectly(text, shown)
    return is_named && !Object.hasOwn(subcommands, next) ? [`${shown}: no such subcommand`] : []
  })
}

/** A command in a sentence is followed by a verb: only commands that are all of a line or a quotation count. */
function followsDirectly(text: string, shown: string): boolean {
  return text.includes(`\`${shown}`) || text.trim().startsWith(shown)
}

test('every next step names commands and operations that exist', () => {
  for (const step of next_steps) {
    assert.deepEqual(commandFaults(step), [], step)
    for (const [shown, id, name] of step.matchAll(/\b([A-Z]{3,}) ([a-z_]+)/g))
      assert.ok(operations.has(`${id} ${name}`), `${step}: ${shown}`)
  }
})

test('every svc command in the texts of svc itself exists', () => {
  const texts = textsOf('clients/cli').filter((line) => !line.includes('svc completions for'))
  // Sentences with svc as their subject.
  const verbs = ['calls', 'signs', 'itself', 'has', 'needs', 'into', 'does', 'as', 'writes', 'mcp has']
  const faults = texts.flatMap((line) => commandFaults(line).map((fault) => `${fault}: ${line.trim()}`))
  assert.deepEqual(
    faults.filter((fault) => !verbs.some((verb) => fault.startsWith(`svc ${verb}`))),
    [],
  )
})

test('every operation that a message of the engine names exists', () => {
  const ids = protocol_ids.map((id) => id.toUpperCase()).join('|')
  const named = new RegExp(`\\b(${ids})[ .]([a-z]+(?:[_.][a-z]+)+)\\b`, 'g')
  const texts = textsOf('engine', 'gateway', 'protocols', 'contract', 'audit', 'service')
  const faults = texts.flatMap((line) =>
    [...line.matchAll(named)].flatMap(([, id, name]) =>
      operations.has(`${id} ${name}`) ||
      operations.has(`${protocol_ids.find((each) => each.toUpperCase() === id)} ${name}`)
        ? []
        : [`${id} ${name}: ${line.trim()}`],
    ),
  )
  assert.deepEqual(faults, [])
})

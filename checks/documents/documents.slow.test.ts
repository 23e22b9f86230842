// Every shell and TypeScript block of the documents runs as a newcomer would paste it, and prints what the
// page shows.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Block, blocks, root } from './documents.ts'
import { outputFault } from './expected-output.ts'
import { type Reader, type Shell, startReader } from './reader.ts'

const run_blocks = blocks.filter(({ not_run }) => not_run === undefined)
const scripts = run_blocks.filter(({ language }) => language === 'sh')
const programs = run_blocks.filter(({ language }) => language === 'ts')
// Inside the repository, so that @svc/sdk is found, but not among the sources.
mkdirSync(join(root, '.svc'), { recursive: true })
const folder = mkdtempSync(join(root, '.svc/documents-'))
let reader: Reader

before(async () => {
  reader = await startReader()
})
after(async () => {
  await reader?.leave()
  rmSync(folder, { recursive: true, force: true })
})

type Run = (block: Block, shell: Shell) => ReturnType<Shell['run']>

/** The rest of a page is not run after a command that failed: its shell has ended. */
async function assertOutputs(page: readonly Block[], run: Run): Promise<void> {
  const shell = reader.openShell()
  const faults: string[] = []
  for (const block of page) {
    const { exit, output } = await run(block, shell)
    const failed = exit === 0 ? undefined : `It ended with ${exit}:\n${output}`
    const fault = failed ?? outputFault(block.output ?? '', output)
    if (fault !== undefined) faults.push(`${block.path}:${block.line}\n${fault}`)
    if (failed !== undefined) break
  }
  await shell.close()
  assert.equal(faults.length, 0, faults.join('\n\n'))
}

/** The engine is already started, and a second one would need its ports. */
const runScript = async ({ code }: Block, shell: Shell) =>
  code === 'npm start' ? { exit: 0, output: reader.greeting } : await shell.run(code)

for (const [path, page] of Map.groupBy(scripts, ({ path }) => path)) {
  test(`${path}: ${page.length} shell blocks print what the page shows`, async () => {
    await assertOutputs(page, runScript)
  })
}

const fileOf = ({ path, line }: Block) => join(folder, `${path.replaceAll(/[/.]/g, '-')}-${line}.mts`)

test('every TypeScript block compiles', async () => {
  for (const block of programs) writeFileSync(fileOf(block), block.code)
  const config = { extends: '../../tsconfig.json', include: ['*.mts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const shell = reader.openShell()
  const { exit, output } = await shell.run(
    `node ${join(root, 'node_modules/typescript/bin/tsc')} -p ${folder}`,
  )
  await shell.close()
  assert.deepEqual([exit, output], [0, ''])
})

for (const [path, page] of Map.groupBy(programs, ({ path }) => path)) {
  test(`${path}: ${page.length} TypeScript blocks print what the page shows`, async () => {
    await assertOutputs(page, (block, shell) => shell.run(`node ${fileOf(block)}`))
  })
}

test('README.md: the line that npm start printed works when pasted', async () => {
  const shell = reader.openShell({ PATH: reader.env.PATH })
  const { output } = await shell.run(reader.curl)
  await shell.close()
  assert.equal(JSON.parse(output).output.stored_event_type, 'custom.hello')
})

test('README.md: X-SVC-Dry-Run gives any call the same verdict, stage by stage, without effects', async () => {
  const refused = scripts.find(({ code }) => code.includes('"tenant_id":"somebody-else"'))
  assert.ok(refused)
  const shell = reader.openShell()
  const { output } = await shell.run(refused.code.replace('curl -s', 'curl -s -H "X-SVC-Dry-Run: true"'))
  await shell.close()
  const { dry_run } = JSON.parse(output)
  assert.deepEqual([dry_run.verdict, dry_run.error.reason], ['refused', 'no active treaty'])
  assert.equal(dry_run.stages.length, 8)
})

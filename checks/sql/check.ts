// Prepares every statement of the product on a database with all migrations: columns against the declared
// row, parameters against interpolated values. Results are cached until a file changes.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from './findings.ts'
import { productFiles } from './product-files.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/svc-sql')
/** Besides the product itself: its types, its tables and this check. */
const also = '{contract/**/*.ts,checks/sql/*.ts,package-lock.json,tsconfig.json}'

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** The compiler and the database are loaded only after a change. */
async function check(paths: readonly string[]): Promise<Report> {
  const { checkStatements } = await import('./findings.ts')
  const { testDatabase } = await import('../rehearsal/test-database.ts')
  const { Client } = await import('pg')
  const database = await testDatabase()
  const client = new Client({ connectionString: database.url })
  try {
    await client.connect()
    return await checkStatements(root, paths, client)
  } finally {
    await client.end()
    await database.close()
  }
}

const paths = productFiles(root)
const others = globSync(also, { cwd: root }).map((path) => join(root, path))
const passed = join(cache, digestOf([...paths, ...others.sort()]))
if (!existsSync(passed)) {
  const { statements, variants, marked, findings } = await check(paths)
  for (const { path, line, fault } of findings) console.log(`${path}:${line}: ${fault}`)
  const summary = `${statements} statements in ${variants} variants; ${marked} unchecked by mark`
  console.log(summary)
  if (findings.length) process.exitCode = 1
  else {
    mkdirSync(cache, { recursive: true })
    writeFileSync(passed, summary)
  }
}

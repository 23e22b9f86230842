// Inputs kept between runs, in one file for each target.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'corpus')

interface Corpus {
  /** Each broke a property once; never removed. */
  readonly fixed: readonly string[]
  /** Together they reach the known blocks. */
  readonly reaching: readonly string[]
}

export function readCorpus(name: string): Corpus {
  const path = join(folder, `${name}.json`)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Corpus) : { fixed: [], reaching: [] }
}

export function writeCorpus(name: string, reaching: readonly string[]): void {
  const { fixed } = readCorpus(name)
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ fixed, reaching }, null, 2)}\n`)
}

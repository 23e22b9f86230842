// npm run example <name>: runs one of the folders beside this file; each ends by itself.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const [name] = process.argv.slice(2)
const story = name && join(here, name, 'story.ts')
if (story && existsSync(story)) await import(story)
else {
  const examples = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  console.error(
    `Name an example: npm run example ${examples.map((entry) => entry.name).join(' | npm run example ')}`,
  )
  process.exitCode = 1
}

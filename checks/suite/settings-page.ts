// `npm run generate`: docs/settings.md, docs/glossary.md and the chart's `environment`, from the tables. `--check` writes
// nothing and fails if a file differs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { glossary } from '@svc/contract/glossary'
import type { Setting } from '@svc/service/settings/setting'
import { setting_areas, settings } from '@svc/service/settings/table'
import { environment } from '../../clients/cli/environment.ts'
import { compose_settings, test_settings } from '../engines/test-settings.ts'

const root = join(import.meta.dirname, '../..')
const schema_file = 'deploy/helm/svc/values.schema.json'

type Names = readonly (readonly [name: string, meaning: string])[]

function renderPage(): string {
  const areas = setting_areas.map(
    ({ title, rows }) => `## ${title}

| setting | default | value | read by | meaning |
| --- | --- | --- | --- | --- |
${Object.entries<Setting>(rows)
  .map(
    ([name, row]) =>
      `| \`${name}\` | ${defaultText(row)} | ${row.type.form} | ${row.programs.join(', ')} | ${row.meaning} |`,
  )
  .join('\n')}
`,
  )
  return `# Settings

Look up here what every environment variable means, what it may hold and what holds without it. The page is made from the tables that the
programs read; \`svc-engine serve --help\` shows those of one program.

\`SVC_X_FILE\` names a file that holds the value of \`SVC_X\`, so that a secret need not stand in the environment. \`svc-engine admin\`
and \`svc-engine plugin\` read the settings of \`serve\`.

${areas.join('\n')}
## The command line and the SDKs

\`svc\` reads these. The SDKs read the first five. A flag wins over them, and they over the file of \`svc login\`.

${namesTable(environment)}
## Tests and compose

${namesTable([...test_settings, ...compose_settings])}`
}

function renderGlossary(): string {
  const rows = Object.entries(glossary).map(
    ([term, { meaning, page }]) => `| **${term}** | ${meaning.replaceAll('<', '&lt;')} | [more](${page}) |\n`,
  )
  return `# Glossary

Look up here what a word means in this product. Every page uses these words, and no others for the same thing.

| term | meaning | |
| --- | --- | --- |
${rows.join('')}`
}

function namesTable(names: Names): string {
  const rows = names.map(([name, meaning]) => `| \`${name}\` | ${meaning} |\n`)
  return `| variable | meaning |\n| --- | --- |\n${rows.join('')}`
}

function defaultText({ default: otherwise, required = [] }: Setting): string {
  const values = typeof otherwise === 'object' ? otherwise : { '': otherwise || undefined }
  const programs = new Map<string, string[]>()
  for (const [program, value] of Object.entries(values))
    if (value !== undefined) programs.set(value, [...(programs.get(value) ?? []), program])
  const texts = [...programs].map(([value, of]) =>
    programs.size === 1 ? `\`${value}\`` : `\`${value}\` (${of.join(', ')})`,
  )
  if (required.length) texts.push(`required by ${required.join(', ')}`)
  return texts.join(', ') || 'none'
}

/** The chart's `environment` accepts only these names; PATH and the address belong to the image. */
function renderSchema(): string {
  const path = join(root, schema_file)
  const rows = Object.entries<Setting>(settings).filter(
    ([name, { programs }]) => programs.includes('serve') && /^(SVC|MIM|RUST)_/.test(name),
  )
  const type = ['string', 'number', 'boolean']
  const environment_schema = {
    type: 'object',
    additionalProperties: false,
    patternProperties: { '^[A-Z0-9_]+_FILE$': { type: 'string' } },
    properties: Object.fromEntries(rows.map(([name, { meaning }]) => [name, { description: meaning, type }])),
  }
  const part = /^ {4}"environment": \{\n[\s\S]*?^ {4}\}/m
  const text = JSON.stringify({ environment: environment_schema }, null, 2)
    .replace(/^\{\n|\n\}$/g, '')
    .replace(/\[\s+("string"),\s+("number"),\s+("boolean")\s+\]/g, '[$1, $2, $3]')
    .replace(/^/gm, '  ')
  return readFileSync(path, 'utf8').replace(part, () => text)
}

function renderSettings(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/settings.md', renderPage()],
    ['docs/glossary.md', renderGlossary()],
    [schema_file, renderSchema()],
  ])
}

function readText(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}

function main(is_check: boolean): number {
  const different = [...renderSettings()].filter(([path, text]) => readText(path) !== text)
  for (const [path, text] of different) {
    if (is_check) console.error(`  ${path}: different from its table`)
    else writeFileSync(join(root, path), text)
  }
  if (!is_check) console.log(`settings: ${different.length} files changed.`)
  return is_check && different.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main(process.argv.includes('--check'))

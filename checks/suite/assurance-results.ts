// The table in docs/assurance-results.md: the last result of each check in its long form.
import { existsSync, readFileSync } from 'node:fs'

const columns = ['check', 'N', 'seed', 'result', 'seconds', 'commit', 'date', 'machine'] as const

export interface Result {
  /** The test file. */
  readonly check: string
  readonly N: string
  readonly seed: string
  readonly result: string
  readonly seconds: number
  readonly commit: string
  readonly date: string
  readonly machine: string
}

export function readResults(page: string): Result[] {
  if (!existsSync(page)) return []
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^\| \S+\.test\.ts \|/.test(line))
  return rows.map((line) => {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const row = Object.fromEntries(columns.map((name, place) => [name, cells[place] ?? ''])) as Record<
      (typeof columns)[number],
      string
    >
    return { ...row, seconds: Number(row.seconds) }
  })
}

export function resultsPage(results: readonly Result[], checks: readonly string[]): string {
  const rows = results.toSorted((a, b) => a.check.localeCompare(b.check))
  const missing = checks.filter((check) => !results.some((result) => result.check === check))
  return [
    '# Results of the long checks',
    '',
    'After reading this page you know which long check was last run on which commit and machine, with how many cases, and how it ended.',
    '`npm run assurance` writes it; [assurance](assurance.md) says what each check shows. A commit with `+` had uncommitted changes.',
    '',
    `| ${columns.join(' | ')} |`,
    `| ${columns.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => `| ${columns.map((name) => row[name]).join(' | ')} |`),
    '',
    missing.length ? `Not run yet: ${missing.join(', ')}.` : 'Every check has been run.',
    '',
  ].join('\n')
}

// Prints a command's output: JSON lines for machines, tables and facts for people.

/** Of a longer list people see the beginning. */
const listed_max = 12
const begun_with = 6

export interface Said {
  /** One JSON line each. */
  readonly rows: readonly object[]
  /** Columns of the table for people; without them, one fact per line. */
  readonly columns?: readonly string[]
  /** A remark for people, such as what to do next. */
  readonly note?: string
  /** 0 unless the command found a problem. */
  readonly exit?: number
  /** A check never answered, so the process must exit without waiting for it. */
  readonly hangs?: boolean
}

export function jsonLines({ rows }: Said): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

export function readable({ rows, columns, note }: Said): string {
  const body = columns ? table(rows, columns) : rows.map(facts).join('\n')
  return [body, note && `\n${note}\n`].filter(Boolean).join('')
}

function table(rows: readonly object[], columns: readonly string[]): string {
  if (rows.length === 0) return 'none\n'
  const lines = rows.map((row) => columns.map((name) => shown((row as Record<string, unknown>)[name])))
  const header = columns.map((name) => name.toUpperCase().replaceAll('_', ' '))
  const all = [header, ...lines]
  const widths = columns.map((_, i) => Math.max(...all.map((line) => line[i]!.length)))
  return all
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function facts(row: object): string {
  const entries = Object.entries(row).map(([name, value]) => [name.replaceAll('_', ' '), shortened(value)])
  const width = Math.max(...entries.map(([name]) => name!.length))
  return entries.map(([name, value]) => `${name!.padEnd(width)}  ${value}\n`).join('')
}

function shortened(value: unknown): string {
  if (!Array.isArray(value) || value.length <= listed_max) return shown(value)
  return `${shown(value.slice(0, begun_with))}, and ${value.length - begun_with} more; --json lists them`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length > 0 ? value.map(shown).join(', ') : '-'
  // Names come from outside: a control character could redraw the operator's terminal.
  return String(value).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}

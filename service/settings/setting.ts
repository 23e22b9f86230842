// A row of the table of settings, the source of --help, docs/settings.md and the chart.
import type { SettingType } from './setting-types.ts'

/** The programs of `svc-engine`; `admin` and `plugin` read what `serve` reads. */
export type Program = 'up' | 'serve' | 'gateway' | 'console' | 'node'

/** As text; by program if they differ. */
type Default = string | Readonly<Partial<Record<Program, string>>>

interface More {
  readonly programs?: readonly Program[]
  /** The programs that require it. */
  readonly required?: readonly Program[]
}

export interface Setting<Value = unknown> extends More {
  readonly type: SettingType<Value & {}>
  readonly default: Default | undefined
  readonly meaning: string
  readonly programs: readonly Program[]
}

/** A row before its area adds the programs. */
type Row<Value> = Omit<Setting<Value>, 'programs'> & More

export const none = undefined

export function setting<Value, Otherwise extends Default | undefined>(
  type: SettingType<Value & {}>,
  otherwise: Otherwise,
  meaning: string,
  more: More = {},
): Row<Otherwise extends undefined ? Value | undefined : Value> {
  return { type, default: otherwise, meaning, ...more } as Row<never>
}

type Rows<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Row<infer Value> ? Setting<Value> : never
}

export interface Area<Table> {
  readonly title: string
  readonly rows: Rows<Table>
}

/** Related rows, read by `programs` unless a row names others. */
export function area<Table extends Readonly<Record<string, Row<unknown>>>>(
  title: string,
  programs: readonly Program[],
  table: Table,
): Area<Table> {
  const rows = Object.entries(table).map(([name, row]) => [name, { programs, ...row }])
  return { title, rows: Object.fromEntries(rows) }
}

export function defaultOf(row: Setting, program: Program): string | undefined {
  return typeof row.default === 'object' ? row.default[program] : row.default
}

// Compares the product's statements with a database with all migrations.
import type { Client } from 'pg'
import ts from 'typescript-compiler-api'
import { columnFault, parameterFault } from './compare.ts'
import { type Described, Describer } from './describe.ts'
import { Marks } from './marks.ts'
import type { Parameter, Variant } from './pieces.ts'
import { openProgram, placeOf } from './program.ts'
import { type FoundStatement, findStatements } from './statements.ts'

export interface Finding {
  readonly path: string
  readonly line: number
  readonly fault: string
}

export interface Report {
  readonly statements: number
  readonly variants: number
  /** Statements marked as unchecked, each with its reason in the code. */
  readonly marked: number
  readonly findings: readonly Finding[]
}

export async function checkStatements(
  root: string,
  paths: readonly string[],
  client: Client,
): Promise<Report> {
  const program = openProgram(root, paths)
  const own = new Set(paths)
  const files = program.getSourceFiles().filter(({ fileName }) => own.has(fileName))
  const { statements, unchecked } = findStatements(program, files)
  const faults: Fault[] = unchecked.map(({ node, why }) => ({ node, fault: `cannot be checked: ${why}` }))
  const describer = await Describer.open(client)
  for (const statement of statements)
    for (const variant of statement.variants) {
      const described = await describer.describe(variant.text)
      faults.push(
        ...faultsOf(statement, withOuterJoins(variant.text, described), variant, program.getTypeChecker()),
      )
    }
  const marks = new Marks(files)
  const findings = faults.filter(({ node }) => !marks.cover(node))
  return {
    statements: statements.length,
    variants: statements.reduce((sum, { variants }) => sum + variants.length, 0),
    marked: marks.used,
    findings: unique([
      ...findings.map(({ node, fault }) => ({ ...placeOf(root, node), fault })),
      ...marks.unused().map(({ file, line }) => ({
        path: file.fileName.slice(root.length + 1),
        line,
        fault: 'is marked as unchecked, and can be checked; remove the mark',
      })),
    ]),
  }
}

interface Fault {
  readonly node: ts.Node
  readonly fault: string
}

function faultsOf(
  { node, row }: FoundStatement,
  described: Described,
  { parameters }: Variant,
  checker: ts.TypeChecker,
): Fault[] {
  if (described.fault !== undefined) return [{ node, fault: described.fault }]
  const wrong = described.parameters.flatMap((pg, index) => wrongParameter(parameters[index], pg, checker))
  if (!row) return wrong
  return [...wrong, ...rowFaults(row, described, node, checker).map((fault) => ({ node, fault }))]
}

function wrongParameter(
  parameter: Parameter | undefined,
  pg: Described['parameters'][number],
  checker: ts.TypeChecker,
): Fault[] {
  const fault = parameter && parameterFault(pg, parameter.type, checker)
  return fault ? [{ node: parameter.at, fault: `parameter ${parameter.at.getText()} ${fault}` }] : []
}

function rowFaults(row: ts.Type, { columns }: Described, node: ts.Node, checker: ts.TypeChecker): string[] {
  const properties = new Map(row.getProperties().map((property) => [property.name, property]))
  // The rows are not read, or only counted.
  if (properties.size === 0) return []
  const faults = columns.flatMap((column) => {
    const property = properties.get(column.name)
    properties.delete(column.name)
    if (!property) return [`${column.name} is answered, and the row has no such member`]
    return columnFault(column, property, checker.getTypeOfSymbolAtLocation(property, node), checker) ?? []
  })
  const expected = [...properties.values()].filter(({ flags }) => !(flags & ts.SymbolFlags.Optional))
  const missing = expected.map(({ name }) => `${name} is in the row, and no column of that name is answered`)
  return [...faults, ...missing]
}

const outer_join = /\b(?:left|full)\s+(?:outer\s+)?join\s+(\w+)/gi
const inner = /(?<!\b(?:left|full|outer)\s+)\b(?:from|join|into|update)\s+(\w+)/gi

/** Columns of an outer join may be null, whatever the table says. */
function withOuterJoins(text: string, described: Described): Described {
  const named = (form: RegExp) => new Set([...text.matchAll(form)].map(([, table]) => table))
  const maybe_missing = named(outer_join).difference(named(inner))
  const columns = described.columns.map((column) =>
    maybe_missing.has(column.table) ? { ...column, nullable: true } : column,
  )
  return { ...described, columns }
}

function unique(findings: readonly Finding[]): Finding[] {
  const byPlace = new Map(
    findings.map((finding) => [`${finding.path}:${finding.line}: ${finding.fault}`, finding]),
  )
  return [...byPlace.values()].sort(
    (one, other) => one.path.localeCompare(other.path) || one.line - other.line,
  )
}

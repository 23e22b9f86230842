// The first page of the reference: every protocol by plane, and the refusals of every operation.
import type { Declaration } from '@svc/contract/protocol'
import { shownProtocols } from './directory.ts'
import { compareText } from './names.ts'
import { refusalTable } from './reference.ts'

export function deriveReferenceList(protocols: readonly Declaration[]): string {
  const shown = shownProtocols(protocols)
  const planes = Map.groupBy(shown, ({ protocol }) => protocol.plane)
  const operations_count = shown.reduce((sum, { operations }) => sum + operations.length, 0)
  return [
    '# Reference\n',
    `${shown.length} protocols with ${operations_count} operations, all called through \`POST /v1/dispatch\`. Derived from the catalogue, never edited.\n`,
    ...[...planes.keys()].sort(compareText).map((plane) => planeSection(plane, planes.get(plane)!)),
    refusalTable(),
  ].join('\n')
}

function planeSection(plane: string, shown: ReturnType<typeof shownProtocols>): string {
  const rows = shown.map(
    ({ protocol, operations }) =>
      `| [${protocol.id}](${protocol.id.toLowerCase()}.md) | ${protocol.summary.replaceAll('|', '\\|')} | ${operations.length} |`,
  )
  const title = `${plane.charAt(0).toUpperCase()}${plane.slice(1)}`
  return (
    [`## ${title}\n`, '| Protocol | What it is for | Operations |', '| --- | --- | --- |', ...rows].join(
      '\n',
    ) + '\n'
  )
}

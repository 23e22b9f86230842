// Why a call was allowed or refused, as a page for people.
import type { AuditRecord } from '@svc/sdk/answer'
import type { Client } from '@svc/sdk/client'
import type { Terminal } from '../command.ts'
import { type Colours, coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { humanText, pageOf, shortened } from '../output/human.ts'
import { stage_name_width, stage_names } from '../output/stage-names.ts'
import { padToWidth, wrapToWidth } from '../output/text-width.ts'
import { callOf, endingRecord } from './records.ts'

export type Explanation = Awaited<ReturnType<Client['max']['explainability_request']>>

const module_stage = 7
const last_stage = 8

/** Everything but the records, which follow with their verification marks. */
export function explainPage(
  explanation: Explanation,
  records: readonly AuditRecord[],
  terminal: Terminal,
): string {
  const colours = coloursOf(terminal, 'stdout')
  const page = pageOf(terminal, colours)
  const record = endingRecord(records)
  const parts = [
    headOf(explanation, record, page.width, colours),
    humanText(factsOf(explanation, record), page),
    titled('Stages', stageLines(explanation, record, page.width, colours), colours),
    titled('What would have changed it', changeLines(explanation, page.width), colours),
    explanation.appeal_path ? titled('Appeal', [`  ${harmless(explanation.appeal_path)}`], colours) : '',
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function headOf(
  explanation: Explanation,
  record: AuditRecord | undefined,
  width: number,
  colours: Colours,
): string {
  const paint = { allowed: colours.green, refused: colours.yellow, failed: colours.red }[explanation.decision]
  const call = record ? callOf(record) : ''
  const dry = record?.meta.dry_run === true ? ' (dry run: nothing was executed)' : ''
  const title = `${paint(colours.bold(harmless(explanation.decision).toUpperCase()))}  ${harmless(call)}${dry}`
  const story = wrapToWidth(harmless(shortened(explanation.narrative)), width)
  // The engine has raised an alarm about this contradiction, so it is shown in red.
  const warning = explanation.consistent
    ? []
    : [colours.red('The record contradicts the rules it names. Verify the audit log: svc audit verify')]
  return `${[title, ...story, ...warning].join('\n')}\n`
}

function factsOf(explanation: Explanation, record: AuditRecord | undefined): Record<string, unknown> {
  const { meta } = record ?? { meta: {} as Record<string, unknown> }
  const { requested, matched, source } = explanation.capability
  const refused = explanation.decision === 'allowed' ? undefined : explanation
  return {
    'asked by': record?.caller_did,
    at: record?.timestamp,
    through: meta.origin,
    version: meta.version,
    'took ms': record?.latency_ms,
    'needs capability': requested,
    'granted by': matched && `${matched}${source ? ` (${source})` : ''}`,
    'refused by': refused && `stage ${refused.stage}, ${stage_names[refused.stage] ?? 'unknown'}`,
    code: refused?.code,
    rule: refused?.reason,
    'in words': refused && (meta.sentence ?? Object(meta.supplied).sentence),
    policies: explanation.policies.length > 0 ? explanation.policies : undefined,
    council: explanation.council,
    limits: explanation.limits,
  }
}

function stageLines(
  explanation: Explanation,
  record: AuditRecord | undefined,
  width: number,
  { green, red, yellow, dim }: Colours,
): string[] {
  const is_dry = record?.meta.dry_run === true
  const ended =
    explanation.decision === 'allowed' ? (is_dry ? module_stage : last_stage + 1) : explanation.stage
  return stage_names.flatMap((name, stage) => {
    const label = `  ${stage}  ${padToWidth(name, stage_name_width)}  `
    // Every decision is recorded.
    if (stage === last_stage) return `${label}${green(record ? `recorded as ${record.seq}` : 'recorded')}`
    if (stage < ended) return `${label}${green('passed')}`
    if (stage > ended || explanation.decision === 'allowed') return `${label}${dim('not reached')}`
    const why = `${explanation.decision}: ${[explanation.code, explanation.reason].filter(Boolean).join(', ')}`
    const paint = explanation.decision === 'failed' ? red : yellow
    const [first = '', ...rest] = wrapToWidth(harmless(why), width - label.length)
    return [`${label}${paint(first)}`, ...rest.map((line) => ' '.repeat(label.length) + paint(line))]
  })
}

function changeLines({ counterfactuals }: Explanation, width: number): string[] {
  return counterfactuals.flatMap(({ change, result }) => {
    const [first, ...rest] = wrapToWidth(harmless(`If ${change}: ${result}.`), width - 4)
    return [`  - ${first}`, ...rest.map((line) => `    ${line}`)]
  })
}

function titled(title: string, lines: readonly string[], { bold }: Colours): string {
  return lines.length === 0 ? '' : `${[bold(title), ...lines].join('\n')}\n`
}

// The text for a failed command: code, message, reason, and what to do next.
import { SvcError } from '@svc/sdk/errors'
import type { Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { type Colours, coloursOf } from './colours.ts'
import { harmless } from './harmless-text.ts'
import { pageOf } from './human.ts'
import { nextStep } from './next-steps.ts'
import { stage_names } from './stage-names.ts'
import { wrapToWidth } from './text-width.ts'

const faults_shown_max = 20

export function describeFault(thrown: unknown, terminal: Terminal): string {
  const colours = coloursOf(terminal, 'stderr')
  if (thrown instanceof UsageError) return describeUsage(thrown, colours)
  if (thrown instanceof SvcError) return describeRefusal(thrown, terminal, colours)
  return describeOwnFault(thrown, terminal, colours)
}

function describeUsage({ message, hint }: UsageError, { dim }: Colours): string {
  const sentence = message.split('\n').map(harmless).join('\n')
  return hint === undefined ? `${sentence}\n` : `${sentence}\n${dim(harmless(hint))}\n`
}

function describeRefusal(error: SvcError, terminal: Terminal, { bold, red, dim }: Colours): string {
  const { width } = pageOf(terminal, coloursOf(terminal, 'stderr'))
  // In a pipe a message stays on one line, so that it can be searched.
  const wrapped = (text: string, room: number) =>
    terminal.stderr_is_tty ? wrapToWidth(harmless(text), room) : [harmless(text)]
  const facts = factsOf(error)
  const name_width = Math.max(0, ...facts.map(([name]) => name.length))
  const margin = ' '.repeat(name_width + 4)
  const lines = facts.map(([name, text]) => {
    const label = `  ${dim(harmless(name).padEnd(name_width))}  `
    return label + wrapped(text, width - margin.length).join(`\n${margin}`)
  })
  const [first = '', ...rest] = wrapped(`${error.code}: ${inWordsOfFlags(error)}`, width)
  const head = `${bold(red(error.code))}${first.slice(error.code.length)}`
  return `${[head, ...rest, ...lines].join('\n')}\n`
}

function factsOf(error: SvcError): [string, string][] {
  const { reason, stage, correlation_id, retry_after_ms } = error
  const facts: [string, string][] = []
  if (reason !== null) facts.push(['reason', reason])
  if (stage !== null)
    facts.push(['stage', stage_names[stage] ? `${stage}, ${stage_names[stage]}` : `${stage}`])
  for (const { pointer, message } of faultsOf(error)) facts.push([pointer || '/', message])
  if (retry_after_ms !== null) facts.push(['retry', `in ${seconds(retry_after_ms)}`])
  const next = nextStep(error)
  if (next !== undefined) facts.push(['next', next])
  // A refusal before the pipeline leaves no record.
  if (correlation_id !== null && stage !== null) facts.push(['why', `svc explain ${correlation_id}`])
  return facts
}

const flag_names: Readonly<Record<string, string>> = {
  apiUrl: '--api-url',
  apiKey: '--api-key',
  privateKey: 'SVC_PRIVATE_KEY',
  workloadToken: 'SVC_WORKLOAD_TOKEN_FILE',
  agentDid: '--agent-did',
  tenantId: '--tenant-id',
  idempotencyKey: '--idempotency-key',
}

/** Replaces option names in SDK messages by the flags that set them. Messages of the engine are unchanged. */
function inWordsOfFlags({ message, stage, audit_head }: SvcError): string {
  if (stage !== null || audit_head !== null) return message
  return message.replace(
    /\b(apiUrl|apiKey|agentDid|tenantId|idempotencyKey|privateKey|workloadToken)\b/g,
    (name) => flag_names[name]!,
  )
}

function faultsOf({ details }: SvcError): { pointer: string; message: string }[] {
  const faults = Array.isArray(details.faults) ? details.faults.slice(0, faults_shown_max) : []
  return faults.map((fault) => ({
    pointer: String(fault?.pointer ?? ''),
    message: String(fault?.message ?? ''),
  }))
}

function seconds(wait_ms: number): string {
  const whole = Math.ceil(wait_ms / 1000)
  return whole === 1 ? '1 second' : `${whole} seconds`
}

function describeOwnFault(thrown: unknown, { env }: Terminal, { dim }: Colours): string {
  const message = harmless(thrown instanceof Error ? thrown.message : String(thrown))
  const sentence = `svc itself failed: ${message}. This is a bug of the program, not a usage error.`
  if (env.SVC_DEBUG !== '1')
    return `${sentence}\n${dim('SVC_DEBUG=1 prints the stack trace; please report it.')}\n`
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  return `${sentence}\n${stack.split('\n').map(harmless).join('\n')}\n`
}

// Prints the answer of a call: complete for programs, readable for people.
import type { Answer, DryRun } from '@svc/sdk/answer'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { humanText, pageOf, shortened } from '../output/human.ts'
import { type Format, printValue } from '../output/output.ts'
import { stage_name_width } from '../output/stage-names.ts'
import { wrapToWidth } from '../output/text-width.ts'

/** Programs get the body of POST /v1/dispatch unchanged. */
export async function printAnswer({ output, metadata }: Answer, format: Format, terminal: Terminal) {
  if (format !== 'human') return await printValue({ output, metadata }, format, terminal)
  const colours = coloursOf(terminal, 'stdout')
  const { correlation_id, audit_head, usage, replayed } = metadata
  const facts = [
    ...(replayed ? ['stored answer for this key; the call was not executed again'] : []),
    `correlation id ${correlation_id}`,
    ...(audit_head === null ? [] : [`audit head ${audit_head}`]),
    `used ${usage.seconds} s, ${usage.tokens_in + usage.tokens_out} tokens, ${usage.amount_usd} USD`,
  ]
  terminal.out(humanText(output, pageOf(terminal, colours)))
  terminal.out(`\n${facts.map((fact) => `${colours.dim(harmless(fact))}\n`).join('')}`)
}

const verdict_width = 'not reached'.length
const margin = ' '.repeat('0  '.length + stage_name_width + 2 + verdict_width + 2)

export async function printDryRun(dry_run: DryRun, format: Format, terminal: Terminal): Promise<void> {
  if (format !== 'human') return await printValue({ dry_run: dry_run }, format, terminal)
  const colours = coloursOf(terminal, 'stdout')
  const { width } = pageOf(terminal, colours)
  for (const { stage, name, verdict, knew } of dry_run.stages) {
    const paint = verdict === 'refused' ? colours.red : verdict === 'passed' ? colours.green : colours.dim
    const [first, ...rest] = wrapToWidth(harmless(shortened(told(knew))), width - margin.length)
    const label = `${stage}  ${harmless(name).padEnd(stage_name_width)}  ${paint(harmless(verdict).padEnd(verdict_width))}`
    terminal.out(`${[`${label}  ${first}`.trimEnd(), ...rest.map((line) => margin + line)].join('\n')}\n`)
  }
  const verdict = dry_run.verdict === 'allowed' ? colours.green('allowed') : colours.red('refused')
  terminal.out(`\nThe call would be ${verdict}; nothing was executed.\n`)
}

function told(knew: Readonly<Record<string, unknown>>): string {
  return Object.entries(knew)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

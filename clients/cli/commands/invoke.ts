// svc invoke: one POST /v1/dispatch, with names and JSON from the command line.
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Answer } from '@svc/sdk/answer'
import type { CallOptions } from '@svc/sdk/call-options'
import type { Client } from '@svc/sdk/client'
import { SvcError } from '@svc/sdk/errors'
import { type Completions, loadCompletions } from '../calls/completions-data.ts'
import { readInput, readOptionalInput } from '../calls/input.ts'
import { faultsOf } from '../calls/input-check.ts'
import { type Named, nameOperation } from '../calls/operation-names.ts'
import { printAnswer, printDryRun } from '../calls/output-call.ts'
import { openProgress } from '../calls/progress.ts'
import { type CallInAuditLog, tailCall } from '../calls/tail-call.ts'
import { printTrace, traceparentOf } from '../calls/trace.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { exampleCall, invokeHelp } from '../operations/describe-page.ts'
import { type FieldFlag, flagAt, withFieldFlags } from '../operations/field-flags.ts'
import {
  builtInSchema,
  describeInput,
  fieldOptions,
  flagsOfInput,
  hasFieldFlags,
  isBuiltIn,
  needsNoInput,
} from '../operations/input-fields.ts'
import { coloursOf } from '../output/colours.ts'
import { noteCalled } from '../output/next-steps.ts'
import {
  errorBodyOf,
  type Format,
  formatOfData,
  printJsonLine,
  printWhole,
  printWholeLine,
} from '../output/output.ts'
import { textFlag } from '../settings.ts'

export const version_default = 'v1.0.0'
const timeout_s_default = 30
const timeout_s_max = 86_400
/** The exit code if a record of the audit log is invalid. */
const upstream = 6

export const invoke: Command = {
  summary: 'Call an operation of a protocol, or dry-run it.',
  usage: 'invoke <PROTOCOL> <operation> [flags]',
  help: `
svc invoke <PROTOCOL> <operation> --help shows the fields of its input as flags, such as --limit 5.

Flags
  --<field> <value>        a field of the input, after the names
  --input <json>           what to send; - or nothing: standard input. A read that requires no field
                           needs none
  --input-file <path>      what to send, from a file
  --version <v>            version of the protocol (${version_default}); v1 takes the best of that major
  --tenant-id <id>         target tenant (default: your own)
  --dry-run                show the result of each stage without executing
  --stream                 show progress while a long operation runs
  --idempotency-key <key>  a call sent twice with the same key is executed once
  --trace                  print the trace context sent and received, and how long it took
  --audit-tail             then wait for the audit records of the call, and show them
  --json[=<fields>]        the whole answer as on the wire, or these fields: --json=output.records.seq
  -o, --output <format>    human (on a terminal), json (in a pipe), or yaml
  --timeout <seconds>      give up if there is no answer, or no event in a stream
                           (${timeout_s_default}; 0: no limit)
  --wait-for-approval <seconds>
                           if others must approve the call: wait for them, then send it again
  --no-check               send without checking the input against the schema first

JSON and YAML are the whole answer: output and metadata. A refusal is explained on stderr, and with JSON
and YAML its body is on stdout; the exit code says what kind it is. With --stream and JSON every event
is a line of JSON on stdout, the result the last one.

Examples
  svc invoke MAX audit_query --outcome refused --limit 5
  svc invoke MAX audit_log_entry --input-file entry.json --idempotency-key 2026-11-15/7
  echo '{"after_seq": 0}' | svc invoke svc.max.audit_query --json=output.records.seq
`,
  flags: {
    input: { type: 'string' },
    'input-file': { type: 'string' },
    version: { type: 'string' },
    stream: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'idempotency-key': { type: 'string' },
    trace: { type: 'boolean' },
    'audit-tail': { type: 'boolean' },
    timeout: { type: 'string' },
    'no-check': { type: 'boolean' },
    'wait-for-approval': { type: 'string' },
  },
  flagsFor: (words, terminal) => fieldOptions({ words, own: invoke.flags, version_default }, terminal),
  helpFor,
  run: (args, flags, terminal) => invokeOperation(args, flags, terminal, { own_flags: invoke.flags }),
}

/** The page of one operation, if the arguments name one. */
async function helpFor(args: readonly string[], flags: Flags, terminal: Terminal) {
  if (args.length === 0 || (args.length === 1 && !args[0]!.includes('.'))) return undefined
  const named = nameOperation(args, await loadCompletions())
  const version = textFlag(flags, 'version') ?? version_default
  const described = await describeInput(named, version, flags, terminal)
  return invokeHelp(named, described, flagsOfInput(described, invoke.flags), terminal)
}

/** An operation that is not built in, as described by the engine. */
export interface Shown {
  readonly version: string
  readonly input_schema?: Readonly<Record<string, unknown>>
}

export interface InvokedBy {
  readonly shown?: Shown | undefined
  /** Flags of the command that are no fields of the input. */
  readonly own_flags: ParseArgsOptionsConfig
}

export async function invokeOperation(
  args: readonly string[],
  flags: Flags,
  terminal: Terminal,
  { shown, own_flags }: InvokedBy,
): Promise<number> {
  const format = formatOfData(flags, terminal)
  const timeout_ms = secondsOf(flags, 'timeout', timeout_s_default)
  const approval_ms = secondsOf(flags, 'wait-for-approval', 0)
  if (approval_ms > 0 && (flags.stream || flags['dry-run']))
    throw new UsageError('--wait-for-approval is for a single answer; remove --stream or --dry-run.')
  for (const flag of ['stream', 'audit-tail']) {
    if (flags['dry-run'] && flags[flag])
      throw new UsageError(`--dry-run executes nothing that --${flag} could show; remove --${flag}.`)
  }
  const completions = await loadCompletions()
  const named = nameOperation(args, completions)
  const version = textFlag(flags, 'version') ?? shown?.version ?? version_default
  if (named.hint && !shown) terminal.err(`${coloursOf(terminal, 'stderr').dim(named.hint)}\n`)
  const fields = hasFieldFlags(flags, own_flags)
    ? flagsOfInput(await describeInput(named, version, flags, terminal), own_flags)
    : []
  const without = { example: exampleOf(named, completions), is_optional: await needsNoInput(named, version) }
  const input =
    fields.length > 0
      ? withFieldFlags(await readOptionalInput(flags, terminal, without), fields, flags)
      : await readInput(flags, terminal, without)
  if (!flags['no-check']) await refuseMisfit({ named, version, shown, fields }, input)
  const traceparent = traceparentOf(terminal.env, flags.trace === true)
  const key = textFlag(flags, 'idempotency-key')
  const options: CallOptions = {
    version,
    timeoutMs: timeout_ms,
    signal: terminal.signal,
    // Not retried: the exit code tells a script whether to repeat it.
    retry: false,
    ...(approval_ms > 0 ? { waitForApprovalMs: approval_ms } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
  }
  return await call({ named, input, options, format }, flags, terminal)
}

interface Invocation {
  readonly named: Named
  readonly input: unknown
  readonly options: CallOptions
  readonly format: Format
}

async function call(request: Invocation, flags: Flags, terminal: Terminal): Promise<number> {
  const { format, options } = request
  const started = performance.now()
  const trace = (outcome: string, { headers, stage }: Pick<SvcError, 'headers' | 'stage'>) => {
    const took_ms = performance.now() - started
    if (flags.trace) printTrace({ sent: options.traceparent, took_ms, outcome, stage, headers }, terminal)
  }
  const tail = async (client: Client, made: CallInAuditLog) =>
    flags['audit-tail'] !== true || (await tailCall(client, made, format, flags, terminal))
  let client: Client | undefined
  try {
    client = openClient(flags, terminal)
    if (flags['dry-run']) return await dryRun(client, request, terminal)
    const { headers, metadata } = await answerOf(client, request, flags, terminal)
    trace('success', { headers, stage: null })
    const { correlation_id, audit_record_id: record_id } = metadata
    return (await tail(client, { correlation_id, record_id })) ? 0 : upstream
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown
    noteCalled(thrown, request.named.protocol, request.named.operation)
    if (!flags['dry-run']) await printRefusal(thrown, format, flags, terminal)
    trace(thrown.code, thrown)
    const { correlation_id, stage } = thrown
    if (client && correlation_id !== null && stage !== null) await tail(client, { correlation_id })
    throw thrown
  }
}

/** For programs; people read it on stderr in every format. */
async function printRefusal(
  thrown: SvcError,
  format: Format,
  flags: Flags,
  terminal: Terminal,
): Promise<void> {
  if (format === 'human') return
  const body = errorBodyOf(thrown)
  if (flags.stream && format === 'json') printWholeLine({ event: 'error', data: body }, terminal)
  else await printWhole(body, format, terminal)
}

/** The exit code is that of the real call. */
async function dryRun(client: Client, request: Invocation, terminal: Terminal): Promise<number> {
  const { named, input, options, format } = request
  const dry_run = await client.dryRun(named.protocol, named.operation, input, options)
  await printDryRun(dry_run, format, terminal)
  if (dry_run.error) throw new SvcError(dry_run.error)
  return 0
}

async function answerOf(
  client: Client,
  request: Invocation,
  flags: Flags,
  terminal: Terminal,
): Promise<Answer> {
  const { named, input, options, format } = request
  if (!flags.stream) {
    const answer = await client.dispatch(named.protocol, named.operation, input, options)
    await printAnswer(answer, format, terminal)
    return answer
  }
  const is_lines = format === 'json'
  // On a terminal, the event lines alone are enough.
  const live =
    is_lines && (terminal.stdout_is_tty || !terminal.stderr_is_tty) ? undefined : openProgress(terminal)
  try {
    for await (const event of client.stream(named.protocol, named.operation, input, options)) {
      if (event.event === 'progress') {
        if (is_lines) printJsonLine({ event: 'progress', data: event.data }, terminal)
        live?.show(event.data)
        continue
      }
      live?.clear()
      const { output, metadata } = event.answer
      if (is_lines) printJsonLine({ event: 'result', data: { output, metadata } }, terminal)
      else await printAnswer(event.answer, format, terminal)
      return event.answer
    }
  } finally {
    live?.clear()
  }
  throw new Error('the stream ended without a result')
}

function secondsOf(flags: Flags, flag: string, default_s: number): number {
  const value = textFlag(flags, flag) ?? String(default_s)
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (seconds <= timeout_s_max) return Math.ceil(seconds * 1000)
  throw new UsageError(`--${flag} is a number of seconds from 0 to ${timeout_s_max}, not ${value}.`)
}

/** Checks only against the schema of the requested version: the catalogue's or the engine's. */
async function findFaults({ named, version, shown }: Checked, input: unknown) {
  if (shown?.input_schema && shown.version === version) return await faultsOf(shown.input_schema, input)
  const schema = isBuiltIn(named, version) ? await builtInSchema(named) : undefined
  return schema ? await faultsOf(schema, input) : []
}

interface Checked {
  readonly named: Named
  readonly version: string
  readonly shown: Shown | undefined
  /** The fields of the input, if the command line named them by flags. */
  readonly fields: readonly FieldFlag[]
}

async function refuseMisfit(checked: Checked, input: unknown): Promise<void> {
  const { named, fields } = checked
  const faults = (await findFaults(checked, input)).map(({ pointer, text }) => ({
    pointer: flagAt(pointer, fields) ?? pointer,
    text,
  }))
  if (faults.length === 0) return
  const width = Math.max(...faults.map(({ pointer }) => pointer.length), 1)
  const lines = faults.map(({ pointer, text }) => `  ${(pointer || '/').padEnd(width)}  ${text}`)
  throw new UsageError(
    [`The input does not fit ${named.protocol} ${named.operation}; nothing was sent.`, ...lines].join('\n'),
    'Fix it, or send it anyway with --no-check: a newer engine may accept it.',
  )
}

/** A valid example input; of an unknown operation, that of the one probably meant. */
function exampleOf(named: Named, { protocols }: Completions): string {
  const protocol = named.protocol
  const operation = named.nearest_operation ?? named.operation
  const operations = Object.hasOwn(protocols, protocol) ? protocols[protocol]!.operations : {}
  const example = Object.hasOwn(operations, operation) ? operations[operation]!.example : {}
  return `For example: ${exampleCall({ protocol, operation }, example)}`
}

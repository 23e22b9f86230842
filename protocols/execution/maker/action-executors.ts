// The executors of actions, and how each is stopped and proves it.
import type { StandIn } from '@svc/contract/needs/stand-in'
import { Refusal } from '@svc/contract/refusal'
import type { ExternalEffect, Performed } from '../moon/api.ts'
import type { SafeStateProof } from '../mote/api.ts'
import { action_ref_start } from '../stop-latch/api.ts'
import { cancelActionRun, findActionRun, followActionRun, type RunRows, runKeyOf } from './action-run.ts'
import type { OpenAction } from './action-store.ts'
import type { ActionEnd } from './action-watch.ts'

const dispatch_ms_max = 60_000
const output_chars_max = 64 * 1024

/** `confirmed` only with proof. */
export type Stopped =
  | { readonly confirmed: true; readonly how: string }
  | { readonly confirmed: false; readonly why: string }

export interface Running {
  /** Undefined if it was released. */
  readonly done: Promise<ActionEnd | undefined>
  stop(grace_ms: number): Promise<Stopped>
  /** Present if it continues without a supervisor here. */
  leave?(): void
  readonly process_group?: number
}

/** A program in its own process group. */
export interface Script {
  readonly pid: number
  readonly ended: Promise<ScriptEnd>
  stopGroup(grace_ms: number): Promise<ScriptEnd>
  readonly output: { text(): string }
  /** The end of its standard error. */
  readonly complaints: { text(): string }
}

interface ScriptEnd {
  readonly how: string
  readonly exit_code: number | null
  readonly signal: string | null
  readonly gone: boolean
}

export interface Means {
  perform(external_effect: ExternalEffect, signal: AbortSignal): Promise<Performed>
  /** Undefined if the operator's list has no such program for this tenant. */
  startScript(ref: string, tenant_id: string, input: string): Promise<Script | undefined>
  request(url: string, ask: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  safeState(action: OpenAction, wait_ms: number): Promise<SafeStateProof>
}

const succeeded = (how: string, output?: unknown): ActionEnd => ({
  state: 'succeeded',
  how,
  error_code: null,
  ...(output !== undefined && { output }),
})
const failed = (how: string, error_code: string, output?: unknown): ActionEnd => ({
  state: 'failed',
  how,
  error_code,
  ...(output !== undefined && { output }),
})

/** Never rejects: an action that cannot be started has failed. */
export async function startExecutor(
  action: OpenAction,
  means: Means & RunRows,
  onFailure: (error: unknown) => void,
): Promise<Running> {
  try {
    return await start(action, means)
  } catch (error) {
    if (error instanceof Refusal) return over(failed(error.message, error.code))
    onFailure(error)
    return over(failed('it could not be started', 'internal'))
  }
}

async function start(action: OpenAction, means: Means & RunRows): Promise<Running> {
  const { executor } = action.ask
  if ('tool_id' in executor) return startTool(action, executor.tool_id, means)
  if ('actuator_id' in executor) return startActuator(action, executor.actuator_id, means)
  if ('manifest_ref' in executor) return startManifest(action, executor.manifest_ref, means)
  if (executor.builtin === 'http_request') return startRequest(action, means)
  if (executor.builtin === 'script_ref') return startScript(action, executor.script_ref!, means)
  const done = Promise.resolve(succeeded('noop'))
  return { done, stop: async () => ({ confirmed: true, how: 'noop' }) }
}

async function startScript(action: OpenAction, ref: string, means: Means): Promise<Running> {
  const { ask, tenant_id, action_id } = action
  const input = JSON.stringify({
    action_id,
    action_kind: ask.action_kind,
    target: ask.target,
    parameters: ask.parameters ?? {},
  })
  const script = await means.startScript(ref, tenant_id, input)
  if (!script) {
    const why = `The operator of this engine lists no program ${ref} for you; ask for it in SVC_COMMANDS.`
    return over(failed(why, 'policy_denied'))
  }
  const done = script.ended.then(({ exit_code, signal }) => {
    const output = {
      exit_code,
      signal,
      output: script.output.text().slice(0, output_chars_max),
      stderr: script.complaints.text().slice(-output_chars_max),
    }
    return exit_code === 0 ? succeeded('exited', output) : failed('exited', 'adapter_error', output)
  })
  return {
    done,
    process_group: script.pid,
    async stop(grace_ms) {
      const { how, gone, exit_code, signal } = await script.stopGroup(grace_ms)
      if (!gone)
        return { confirmed: false, why: 'members of its process group were still seen after SIGKILL' }
      return { confirmed: true, how: `${how}, ${signal ?? `exit code ${exit_code}`}, process group gone` }
    },
  }
}

async function startRequest({ ask }: OpenAction, means: Means): Promise<Running> {
  const ending = new AbortController()
  const asking = means.request(ask.target, ask.parameters ?? {}, ending.signal)
  const done = asking.then(
    (answer) => {
      const { status } = answer as { status?: number }
      return status === undefined || (status >= 200 && status < 300)
        ? succeeded('answered', answer)
        : failed(`answered ${status}`, 'adapter_error', answer)
    },
    (error) => {
      const code = error instanceof Refusal ? error.code : 'adapter_error'
      return failed(ending.signal.aborted ? 'aborted' : String((error as Error).message), code)
    },
  )
  return {
    done,
    async stop() {
      ending.abort()
      await done
      return { confirmed: true, how: 'aborted, connection closed' }
    },
  }
}

async function startTool(action: OpenAction, tool_id: string, means: Means): Promise<Running> {
  const { ask } = action
  const timeout_ms = Math.min(300_000, ask.max_duration_ms)
  const input = { action: 'invoke', tool_id, arguments: ask.parameters ?? {}, timeout_ms }
  const { done: answered, abort } = dispatching(action, 'MAT', 'tool', input, means)
  const done = answered.then((end) => {
    const says_error =
      end.state === 'succeeded' && (end.output as { is_error?: boolean } | null)?.is_error === true
    return says_error ? failed('answered', 'adapter_error', end.output) : end
  })
  return {
    done,
    async stop() {
      abort()
      const { how } = await done
      // MCP has no acknowledgement of a cancellation, so the server cannot confirm that it stopped.
      return how === 'answered'
        ? { confirmed: true, how }
        : { confirmed: false, why: 'cancelled; the server does not say that it stopped' }
    },
  }
}

async function startActuator(action: OpenAction, actuator_id: string, means: Means): Promise<Running> {
  const input = { actuator_id, state: action.ask.parameters ?? {}, reason: action.ask.action_kind }
  const { done, abort } = dispatching(action, 'MOTE', 'actuator_set_state', input, means)
  return {
    done,
    async stop(grace_ms) {
      abort()
      return makeSafe(action, means, grace_ms)
    },
  }
}

export async function makeSafe(action: OpenAction, means: Means, grace_ms: number): Promise<Stopped> {
  const proof = await means.safeState(action, grace_ms + 1_000)
  if (!proof.confirmed) return proof
  const safe_values = Object.entries(action.ask.safe_state ?? {})
  const reported = proof.reported as Readonly<Record<string, unknown>>
  const odd = safe_values.find(([name, value]) => JSON.stringify(reported[name]) !== JSON.stringify(value))
  if (odd) return { confirmed: false, why: `it reports another ${odd[0]} than its safe state has` }
  return { confirmed: true, how: 'safe state read back' }
}

async function startManifest(
  action: OpenAction,
  manifest_ref: string,
  means: Means & RunRows,
): Promise<Running> {
  const { ask, action_id, tenant_id } = action
  const run_key = runKeyOf(means.vaultOf(tenant_id), action_id)
  const input = { action: 'start', manifest_ref, input: ask.parameters ?? {}, run_key }
  const external_effect = effectOf(action, 'MOON', 'execute_workflow', input)
  const started = await means.perform(external_effect, new AbortController().signal)
  // The start may have succeeded despite a late answer: check whether the run exists.
  if (started.kind === 'refused' && !(await findActionRun(means, action)))
    return over(failed(started.message, started.code))
  return followManifest(action, means)
}

/** Also for a run that another engine started. */
export function followManifest(action: OpenAction, rows: RunRows): Running {
  const leaving = new AbortController()
  const done = followActionRun(rows, action, leaving.signal)
  return {
    done,
    leave: () => leaving.abort(),
    async stop() {
      await cancelActionRun(rows, action)
      const end = await done
      return end ? { confirmed: true, how: end.how } : { confirmed: false, why: 'its run goes on' }
    },
  }
}

function dispatching(action: OpenAction, protocol: string, operation: string, input: object, means: Means) {
  const ending = new AbortController()
  const done = means.perform(effectOf(action, protocol, operation, input), ending.signal).then(
    (performed): ActionEnd =>
      performed.kind === 'done'
        ? succeeded('answered', performed.output)
        : failed(performed.message, performed.code),
    (error): ActionEnd => failed(String((error as Error).message), 'internal'),
  )
  return { done, abort: () => ending.abort() }
}

function effectOf(action: OpenAction, protocol: string, operation: string, input: object): ExternalEffect {
  const { tenant_id, action_id, ask } = action
  const acting: StandIn = action.acting
  const workflow = { run: action_ref_start + action_id, path: 'action' }
  const timeout_ms = Math.max(dispatch_ms_max, Math.min(ask.max_duration_ms, 300_000))
  return { tenant_id, protocol, operation, input, timeout_ms, acting, workflow }
}

function over(end: ActionEnd): Running {
  return { done: Promise.resolve(end), stop: async () => ({ confirmed: true, how: end.how }) }
}

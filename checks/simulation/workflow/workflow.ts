// Workflow runs and schedules: two engines share them, under every fault of process, link and clock.
import type { Credential } from '@svc/engine/call'
import type { Outcome } from '@svc/engine/dispatch'
import type { Random } from '../random.ts'
import type { Scenario } from '../scenario.ts'
import { Violation, type World } from '../world.ts'
import { Effects } from './effects.ts'
import { WorkflowEngine } from './engine.ts'
import { faultLink, partition, setClock, startEngine } from './faults.ts'
import { child, inner_manifest, nestedShape, plain_shapes, type Shape } from './manifests.ts'
import { WorkflowModel } from './model.ts'
import type { ModelRun } from './model-rows.ts'
import { openRunLog } from './run-log.ts'
import { countEffects } from './steps-protocol.ts'

interface Submitted {
  readonly manifest_ref: string
  readonly is_scheduled: boolean
}

interface WorkflowState {
  readonly world: World
  readonly engines: readonly WorkflowEngine[]
  readonly effects: Effects
  readonly model: WorkflowModel
  readonly tenant_ids: readonly string[]
  readonly submitted: Map<string, Submitted[]>
  /** Keys of starts that were sent, for repeating them. */
  readonly starts: { tenant_id: string; input: object }[]
}

const manifests_per_tenant = 2

export const workflow_scenario: Scenario<WorkflowState> = {
  name: 'workflow',
  steps_default: 40,
  tasks_max: 24,
  open,
  steps: [
    { name: 'start run', weight: 20, run: startRun },
    { name: 'repeat start', weight: 3, run: repeatStart },
    { name: 'signal', weight: 5, run: signal },
    { name: 'cancel', weight: 4, run: cancel },
    {
      name: 'report outcomes',
      weight: 4,
      run: (state, random) => reportOutcomes(state, usable(state, random)),
    },
    { name: 'emergency stop', weight: 1, run: (state, random) => stop(state, random) },
    { name: 'lift stop', weight: 3, run: lift },
    { name: 'kill engine', weight: 3, run: ({ engines }, random) => random.pick(engines).kill() },
    { name: 'stop engine', weight: 1, run: (state, random) => usable(state, random)?.stop() },
    { name: 'start engine', weight: 10, run: startEngine },
    { name: 'pause engine', weight: 3, run: ({ engines }, random) => random.pick(engines).process?.pause() },
    {
      name: 'resume engine',
      weight: 8,
      run: ({ engines }, random) => random.pick(engines).process?.resume(),
    },
    { name: 'link fault', weight: 6, run: faultLink },
    { name: 'partition', weight: 2, run: (state, random) => partition(state, random, true) },
    { name: 'end partition', weight: 4, run: (state, random) => partition(state, random, false) },
    { name: 'set clock', weight: 2, run: setClock },
    { name: 'notify', weight: 4, run: (state, random) => usable(state, random)?.notify() },
    { name: 'work', weight: 20, run: () => {} },
    {
      name: 'time passes',
      weight: 12,
      run: ({ world }, random) => world.advance(random.between(100, 15_000)),
    },
  ],
  async check({ model }) {
    await model.check()
  },
  close,
}

async function open(world: World): Promise<WorkflowState> {
  await openRunLog(world.database.control)
  const tenant_ids = ['a', 'b'].map((name) => `f${world.seed}-${name}`)
  const effects = new Effects(world)
  countEffects(world, effects)
  const model = new WorkflowModel(world.database, effects)
  const engines = ['engine-1', 'engine-2'].map((name) => new WorkflowEngine(world, name))
  const state = { world, engines, effects, model, tenant_ids, submitted: new Map(), starts: [] }
  while (!engines.every((engine) => engine.is_usable)) await openAll(state)
  for (const tenant_id of tenant_ids) state.submitted.set(tenant_id, await submitAll(state, tenant_id))
  return state
}

/** A connection may take too long; then the engine ends and is started again. */
async function openAll({ world, engines }: WorkflowState): Promise<void> {
  for (const engine of engines) if (!engine.is_running) engine.start()
  const isDecided = (engine: WorkflowEngine) => engine.is_usable || !engine.is_running
  await world.runUntil(() => engines.every(isDecided), 'the engines open')
}

async function submitAll({ world, engines, model }: WorkflowState, tenant_id: string): Promise<Submitted[]> {
  const submit = async (manifest: object) => {
    const call = engines[0]!.call(credentialOf(tenant_id), 'MOON', 'submit_manifest', { manifest })
    return outputOf(await world.awaited(call, 'a manifest is submitted')) as {
      manifest_ref: string
      recipe_id: string
    }
  }
  const shapes: Shape[] = []
  for (let i = 0; i < manifests_per_tenant; i++) {
    const at = world.random.below(plain_shapes.length + 1)
    if (at < plain_shapes.length) shapes.push(plain_shapes[at]!)
    else shapes.push(nestedShape((await submit(inner_manifest)).recipe_id))
  }
  const submitted: Submitted[] = []
  if (shapes.some((shape) => shape.child !== undefined))
    model.addManifest((await submit(child.manifest)).manifest_ref, child)
  for (const shape of shapes) {
    const { manifest_ref } = await submit(shape.manifest)
    model.addManifest(manifest_ref, shape)
    submitted.push({ manifest_ref, is_scheduled: 'schedule' in shape.manifest })
  }
  return submitted
}

function credentialOf(tenant_id: string): Credential {
  const did = `did:oas:${tenant_id}:agent:${'a'.repeat(64)}`
  const capabilities = [{ name: 'svc.*.*', caveats: [] }]
  return { key_id: 'session:simulation', did, tenant_id, tier: 'charter', capabilities }
}

function outputOf(outcome: Outcome): unknown {
  if (outcome.kind === 'success') return JSON.parse(outcome.output_text)
  throw new Violation(`refused: ${outcome.kind === 'refused' ? outcome.refusal.message : outcome.kind}`)
}

function usable({ engines }: WorkflowState, random: Random): WorkflowEngine | undefined {
  const candidates = engines.filter((engine) => engine.is_usable)
  return candidates.length > 0 ? random.pick(candidates) : undefined
}

/** Sends a call; `done` runs once its success is answered. */
function send(
  engine: WorkflowEngine,
  tenant_id: string,
  [protocol, operation]: readonly [string, string],
  input: object,
  done: (output: { run_ref?: string; manifest_ref?: string }) => void,
): void {
  engine.call(credentialOf(tenant_id), protocol, operation, input).then(
    (outcome) => {
      if (outcome.kind === 'success') done(JSON.parse(outcome.output_text))
    },
    () => {},
  )
}

const execute = ['MOON', 'execute_workflow'] as const
const emergency = ['MAKER', 'emergency_stop'] as const

function startRun(state: WorkflowState, random: Random): void {
  const tenant_id = random.pick(state.tenant_ids)
  const startable = state.submitted.get(tenant_id)!.filter(({ is_scheduled }) => !is_scheduled)
  const engine = usable(state, random)
  if (!engine || startable.length === 0) return
  const { manifest_ref } = random.pick(startable)
  const deadline = random.chance(0.15) ? { deadline_ms: random.between(2_000, 30_000) } : {}
  const input = { manifest_ref, run_key: `run-${state.starts.length}`, ...deadline }
  state.starts.push({ tenant_id, input })
  sendStart(state, engine, { tenant_id, input })
}

/** The answer may have been lost: the same key is the same run, on any engine. */
function repeatStart(state: WorkflowState, random: Random): void {
  const engine = usable(state, random)
  if (engine && state.starts.length > 0) sendStart(state, engine, random.pick(state.starts))
}

const run_ref_start = 'moon://run/'

function sendStart(
  { model }: WorkflowState,
  engine: WorkflowEngine,
  start: { tenant_id: string; input: object },
): void {
  const { manifest_ref } = start.input as { manifest_ref: string }
  send(engine, start.tenant_id, execute, start.input, ({ run_ref }) => {
    model.started(run_ref!.slice(run_ref_start.length), start.tenant_id, manifest_ref)
  })
}

function anyRun(
  state: WorkflowState,
  random: Random,
  runs = state.model.runs,
): { engine: WorkflowEngine; run: ModelRun; run_ref: string } | undefined {
  const engine = usable(state, random)
  if (!engine || runs.length === 0) return undefined
  const run = random.pick(runs)
  return { engine, run, run_ref: run_ref_start + run.run_id }
}

function signal(state: WorkflowState, random: Random): void {
  const at = anyRun(state, random)
  if (!at) return
  const input = { action: 'signal', run_ref: at.run_ref, signal: { name: 'go' } }
  for (let copies = random.between(1, 2); copies > 0; copies--)
    send(at.engine, at.run.tenant_id, execute, input, () => {
      at.run.is_signalled = true
    })
}

/** Often of a run whose step is due again just then. */
function cancel(state: WorkflowState, random: Random): void {
  const { waiting_runs } = state.model
  const is_aimed = waiting_runs.length > 0 && random.chance(0.7)
  const at = anyRun(state, random, is_aimed ? waiting_runs : state.model.runs)
  if (!at) return
  if (is_aimed) state.world.advance(random.between(0, 1_500))
  const compensate = random.chance(0.7)
  at.run.cancels.add(compensate ? 'compensate' : 'stop')
  send(at.engine, at.run.tenant_id, execute, { action: 'cancel', run_ref: at.run_ref, compensate }, () => {})
}

/** An operator looks what really happened, and says so. */
async function reportOutcomes(
  { world, model, effects }: WorkflowState,
  engine: WorkflowEngine | undefined,
): Promise<void> {
  if (!engine) return
  const { runs, unknown } = await model.open()
  for (const { run_id, path } of unknown) {
    const run = runs.find((one) => one.run_id === run_id)
    const performed = effects.outcomeOf(`${run_ref_start}${run_id} ${path}`)
    if (!run || performed === undefined) continue
    world.note(`an operator says of ${run_id} ${path}: ${performed}`)
    const outcome_signal = { name: 'outcome', payload: { path, performed } }
    const input = { action: 'signal', run_ref: run_ref_start + run_id, signal: outcome_signal }
    send(engine, run.tenant_id, execute, input, () => {})
  }
}

function stop(state: WorkflowState, random: Random): void {
  const engine = usable(state, random)
  if (!engine) return
  const tenant_id = random.pick(state.tenant_ids)
  const scope = random.pick(['tenant', 'agent'])
  const input = { scope, scope_id: credentialOf(tenant_id).did, reason: 'simulated', mode: 'immediate' }
  send(engine, tenant_id, emergency, input, state.effects.stopping(tenant_id))
}

function lift(state: WorkflowState, random: Random): void {
  const engine = usable(state, random)
  if (!engine) return
  const tenant_id = random.pick(state.tenant_ids)
  for (const scope of ['tenant', 'agent']) {
    const answered = state.effects.lifting(tenant_id, engine.process!)
    const input = { scope, scope_id: credentialOf(tenant_id).did, reason: 'simulated', clear: {} }
    send(engine, tenant_id, emergency, input, answered)
  }
}

/** A history may leave twenty runs with loops and retries to its end; they all went on in what was cut off at 100. */
const rounds_max = 400
const tasks_per_round = 60

/** Never waits: an engine that starts a run just now has the row locked. */
const pause_schedules = `UPDATE moon_manifest SET next_at = NULL WHERE (tenant_id, ref) IN (
  SELECT tenant_id, ref FROM moon_manifest WHERE next_at IS NOT NULL FOR UPDATE SKIP LOCKED)`

/** All faults end; then every run must end, once an operator has said what became of unknown calls. */
async function close(state: WorkflowState): Promise<void> {
  const { world, engines, model, tenant_ids } = state
  for (const process of world.processes.values()) {
    process.resume()
    process.clock_offset_ms = 0
    if (process.is_alive)
      Object.assign(world.database.link(process), { fault: undefined, is_partitioned: false })
  }
  for (const engine of engines) if (!engine.is_running) engine.start()
  for (let round = 0; (await model.open()).runs.length > 0; round++) {
    await model.check()
    if (round === rounds_max) throw new Violation(`a run never ends: ${JSON.stringify(await model.open())}`)
    for (const engine of engines) if (!engine.is_running) engine.start()
    await world.database.control.query(pause_schedules)
    await reportOutcomes(state, usable(state, world.random))
    if (engines.every((engine) => engine.is_usable)) world.advance(1_500)
    await world.run(tasks_per_round)
  }
  await model.checkEnd()
  world.note(`${model.summary} in ${tenant_ids}`)
}

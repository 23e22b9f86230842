// Faults of engines and of what they need: gone, full, far away, or in want of a processor.
import { dispatch, freePorts } from '../engines/running-engine.ts'
import { readMetric } from '../faults/scene/audit-log-check.ts'
import { workersOf } from '../faults/scene/production-scene.ts'
import { signal } from '../faults/scene/scene.ts'
import { pace } from '../suite/real-time.ts'
import { engineOf, goOn, type Undo } from './planting.ts'
import { emit, entry, far, type Installation, startLoad } from './watched-installation.ts'

const workers = 2
const flood_callers = 40
const records_unsent = 10_500

export async function killRedis({ production: { redis } }: Installation): Promise<Undo> {
  await redis.kill()
  return () => redis.start()
}

export async function killEngine(installation: Installation): Promise<Undo> {
  await engineOf(installation, 'b').serving.stop('SIGKILL')
  return () => installation.start('b', ['--workers', String(workers)])
}

/** All of them, again whenever their replacements serve: killed before that, the parent would rightly give up. */
export function killWorkers(installation: Installation): Undo {
  const { serving, caller } = engineOf(installation, 'b')
  return goOn(async () => {
    if ((await readMetric(caller, 'svc_workers')) === workers) signal(workersOf(serving), 'SIGKILL')
    await pace(500)
  })
}

export async function stopDatabase({ database }: Installation): Promise<Undo> {
  await database.stop()
  return () => database.start()
}

export function floodWithRecords(installation: Installation): Undo {
  const { caller } = engineOf(installation)
  const load = startLoad(() => [caller, emit], flood_callers, 0)
  return () => load.stop()
}

export function slowDatabase({ database: { proxy } }: Installation): Undo {
  proxy.set({ delay_ms: 150 })
  return () => proxy.set({})
}

/** Below the share at which a circuit opens: half of the calls. */
export function failSometimes(installation: Installation): Undo {
  const { caller } = engineOf(installation)
  const { remote } = installation
  let calls = 0
  return goOn(async () => {
    remote.behaviour = calls++ % 3 === 0 ? 'answers too much' : 'well'
    await dispatch(caller, far)
    remote.behaviour = 'well'
  })
}

export function refuseRemote({ remote: { proxy } }: Installation): Undo {
  proxy.set({ refusing: true })
  proxy.cut('reset')
  return () => proxy.set({})
}

/** To an engine that takes few at once, each of them waiting for its record. */
export async function overload(installation: Installation): Promise<Undo> {
  const { caller } = await installation.start('small', [], { SVC_CALLS_MAX: '4' })
  const load = startLoad(() => [caller, entry], flood_callers, 20)
  return async () => {
    await load.stop()
    await installation.remove('small')
  }
}

/** As a limit of its container would. */
export function takeProcessor(installation: Installation): Undo {
  const { pid } = engineOf(installation).serving
  const stop = goOn(async () => {
    signal([pid], 'SIGSTOP')
    await pace(300)
    signal([pid], 'SIGCONT')
    await pace(150)
  })
  return stop
}

export async function leaveKafkaBehind(installation: Installation): Promise<Undo> {
  const { caller } = engineOf(installation)
  const nobody_there = await freePorts()
  const load = startLoad(() => [caller, emit], flood_callers, 0)
  const kafka = { SVC_AUDIT_SINK: 'kafka', SVC_KAFKA_BROKERS: `127.0.0.1:${nobody_there}` }
  const sending = await installation.start('kafka', [], kafka)
  while ((await readMetric(sending.caller, 'svc_audit_fan_out_lag')) < records_unsent) await pace(500)
  await load.stop()
  return () => installation.remove('kafka')
}

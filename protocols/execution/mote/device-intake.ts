// Stores device messages. Every engine receives all; keys and sequence numbers make duplicates harmless.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { ArrivedMessage } from '@svc/contract/needs/devices'
import type { Tick } from '@svc/contract/tick'
import { keyEventsOf } from '../../identity/keys/api.ts'
import { recordAck, recordReported } from './actuator-reports.ts'
import type { DeviceAlarms } from './device-alarms.ts'
import { type Descriptor, descriptorFault } from './device-descriptor.ts'
import {
  descriptor_bytes_max,
  type Fault,
  readAck,
  readJson,
  readReported,
  readTelemetry,
} from './device-report.ts'
import { findDevices, keepDescriptor, noteSeen } from './device-store.ts'
import { type Part, parseTopic, partTopic, type ReportTopic } from './device-topic.ts'
import { type ArrivedReading, storeReadings } from './sensor-store.ts'

const topic_shown_max = 200

export interface Intake extends Tick {
  /** With the engine's role. */
  readonly db: Database
  readonly alarms: DeviceAlarms
  isRegistered(device_did: string): Promise<boolean>
}

interface Report extends ReportTopic {
  readonly message: ArrivedMessage
}

/** Returns the topics to notify. May be given the same messages again after a partial failure. */
export async function takeMessages(intake: Intake, messages: readonly ArrivedMessage[]): Promise<string[]> {
  const reports = await ofRegistered(intake, messages)
  for (const report of reports) if (report.kind === 'descriptor') await takeDescriptor(intake, report)
  const others = reports.filter(({ kind }) => kind !== 'descriptor')
  const dids = [...new Set(others.map(({ device_did }) => device_did))]
  if (dids.length === 0) return []
  const devices = await findDevices(intake.db, dids)
  const readings: ArrivedReading[] = []
  const changed: { tenant_id: string; part: Part }[] = []
  for (const report of others) {
    const { tenant_id, device_did, name } = report
    const device = devices.get(device_did)
    const taken = device ? await takeReport(intake, report, device) : { fault: 'device not described' }
    if (taken === true) changed.push({ tenant_id, part: { device_did, name } })
    else if (taken === false) continue
    else if ('fault' in taken) await raise(intake, report, taken.fault)
    else readings.push(taken)
  }
  changed.push(...(await storeReadings(intake.db, readings, intake.now)))
  await noteSeen(intake.db, [...devices.keys()], intake.now)
  return changed.map(({ tenant_id, part }) => partTopic(tenant_id, part))
}

async function ofRegistered(intake: Intake, messages: readonly ArrivedMessage[]): Promise<Report[]> {
  const reports: Report[] = []
  for (const message of messages) {
    // An empty payload clears a retained message: nothing to do.
    if (message.payload.byteLength === 0) continue
    const topic = parseTopic(message.topic)
    const report = topic && { ...topic, message }
    if (!report) {
      const sender = message.topic.slice(0, topic_shown_max).toWellFormed()
      await intake.alarms.raise(
        intake.db,
        { tenant_id: undefined, sender, reason: 'topic of nobody' },
        intake,
      )
    } else if (await intake.isRegistered(report.device_did)) reports.push(report)
    else await raise(intake, report, 'device not registered', undefined)
  }
  return reports
}

async function raise(
  intake: Intake,
  { tenant_id, device_did }: ReportTopic,
  reason: string,
  audit_log: string | undefined = tenant_id,
): Promise<void> {
  await intake.alarms.raise(intake.db, { tenant_id: audit_log, sender: device_did, reason }, intake)
}

/** A reading to store, or else whether a waiter may be affected by the change. */
async function takeReport(
  intake: Intake,
  { tenant_id, device_did, kind, name, message: { topic, payload } }: Report,
  device: Descriptor,
): Promise<ArrivedReading | Fault | boolean> {
  const { db, now } = intake
  if (kind === 'telemetry') {
    const sensor = device.sensors.find(({ id }) => id === name)
    if (!sensor) return { fault: 'sensor not described' }
    const reading = readTelemetry(topic, payload, sensor, device, now)
    return 'fault' in reading ? reading : { ...reading, tenant_id, device_did, name }
  }
  const actuator = device.actuators.find(({ id }) => id === name)
  if (!actuator) return { fault: 'actuator not described' }
  const part = { device_did, name }
  if (kind === 'ack') {
    const ack = readAck(topic, payload, device, now)
    if ('fault' in ack) return ack
    return db.transaction((rows) => recordAck({ db: rows, tenant_id, part }, ack, intake))
  }
  const reported = readReported(topic, payload, actuator, device, now)
  if ('fault' in reported) return reported
  return db.transaction((rows) => recordReported({ db: rows, tenant_id, part }, actuator, reported, intake))
}

async function takeDescriptor(intake: Intake, report: Report): Promise<void> {
  const { db, now } = intake
  const { tenant_id, device_did, message } = report
  const payload = readJson(message.payload, descriptor_bytes_max)
  const fault = descriptorFault(payload, device_did, now, await keyEventsOf(db, device_did))
  if (fault !== undefined) return raise(intake, report, fault)
  const descriptor = payload as Descriptor
  const result = await db.transaction(async (rows) => {
    const outcome = await keepDescriptor(rows, tenant_id, descriptor, now)
    if (outcome === 'kept') await tellDescribed(rows, tenant_id, descriptor, intake)
    return outcome
  })
  if (result === 'older') await raise(intake, report, 'descriptor replayed')
}

async function tellDescribed(
  db: Database,
  tenant_id: string,
  device_descriptor: Descriptor,
  { now, newId }: Tick,
): Promise<void> {
  const { device_did, seq, sensors, actuators } = device_descriptor
  await leaveInOutbox(db, {
    id: newId(),
    event_type: 'DeviceDescribed',
    correlation_id: newId(),
    timestamp: now.toISOString(),
    tenant_id,
    caller_did: device_did,
    protocol: 'MOTE',
    outcome: 'success',
    latency_ms: 0,
    meta: { device_did, seq, sensors: sensors.length, actuators: actuators.length },
  })
}

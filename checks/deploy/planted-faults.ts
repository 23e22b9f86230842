// What can go wrong in an installation, planted on real engines and what they depend on; and which alerts of
// deploy/prometheus/rules.yaml tell it.
import {
  cutWitnessedLog,
  deleteArchivedPages,
  forgeRegistryRow,
  putUnsignedPlugin,
  recordUnknownEvent,
  startWithUnsignedPlugin,
} from './planted-changes.ts'
import {
  failSometimes,
  floodWithRecords,
  killEngine,
  killRedis,
  killWorkers,
  leaveKafkaBehind,
  overload,
  refuseRemote,
  slowDatabase,
  stopDatabase,
  takeProcessor,
} from './planted-outages.ts'
import type { Undo } from './planting.ts'
import type { Installation } from './watched-installation.ts'

interface Stage {
  /** What happens, and so must be told. */
  readonly raises: readonly string[]
  plant(installation: Installation): Promise<Undo> | Undo
}

export interface Fault {
  readonly name: string
  readonly is_long: boolean
  /** Each begins when the alerts of the one before it fire. */
  readonly stages: readonly Stage[]
  /** Must not fire meanwhile: they would send people to the wrong place. */
  readonly spares?: readonly string[]
  /** Panels that show something only then. */
  readonly panels?: readonly string[]
  /** It looks back for longer than the fault lasts, so it is not waited for to end. */
  readonly outlasts?: boolean
}

export const faults: readonly Fault[] = [
  {
    name: 'an engine that starts finds an unsigned plugin',
    is_long: false,
    outlasts: true,
    stages: [{ raises: ['SvcPluginRejected'], plant: startWithUnsignedPlugin }],
  },
  {
    name: 'Redis is killed',
    is_long: false,
    spares: ['SvcEngineDown', 'SvcDatabaseAway'],
    stages: [{ raises: ['SvcRedisFallback', 'SvcNotReady'], plant: killRedis }],
  },
  {
    name: 'an engine is killed',
    is_long: false,
    spares: ['SvcEngineMissing'],
    stages: [{ raises: ['SvcEngineDown'], plant: killEngine }],
  },
  {
    name: 'service discovery finds no engine',
    is_long: true,
    stages: [
      {
        raises: ['SvcEngineMissing'],
        plant(installation) {
          installation.list('none')
          return () => installation.list('all')
        },
      },
    ],
  },
  {
    name: 'workers are killed again and again',
    is_long: true,
    outlasts: true,
    spares: ['SvcEngineDown'],
    stages: [{ raises: ['SvcWorkersDying'], plant: killWorkers }],
  },
  {
    name: 'PostgreSQL is stopped, and the journal fills up',
    is_long: true,
    spares: ['SvcEngineDown', 'SvcNotReady'],
    stages: [
      { raises: ['SvcDatabaseAway', 'SvcAuditBehind'], plant: stopDatabase },
      { raises: ['SvcAuditBufferFilling', 'SvcAuditOverflow'], plant: floodWithRecords },
    ],
  },
  {
    name: 'PostgreSQL is far away',
    is_long: true,
    stages: [{ raises: ['SvcLatencyHigh'], plant: slowDatabase }],
  },
  {
    name: 'a remote service fails one call in three',
    is_long: true,
    spares: ['SvcBreakerOpen'],
    stages: [{ raises: ['SvcErrorRateHigh'], plant: failSometimes }],
  },
  {
    name: 'a remote service is gone',
    is_long: true,
    stages: [{ raises: ['SvcBreakerOpen'], plant: refuseRemote }],
  },
  {
    name: 'more calls come than an engine takes',
    is_long: true,
    stages: [{ raises: ['SvcCallsShed'], plant: overload }],
  },
  {
    name: 'an engine gets the processor in turns only',
    is_long: true,
    stages: [{ raises: ['SvcLoopBlocked'], plant: takeProcessor }],
  },
  {
    name: 'an archived page is deleted',
    is_long: true,
    outlasts: true,
    stages: [{ raises: ['SvcLogPageUnreadable'], plant: deleteArchivedPages }],
  },
  {
    name: 'a plugin that is not signed is put into the folder',
    is_long: true,
    outlasts: true,
    stages: [{ raises: ['SvcPluginRejected'], plant: putUnsignedPlugin }],
  },
  {
    name: 'an event of an unknown type is recorded',
    is_long: true,
    outlasts: true,
    stages: [{ raises: ['SvcUnknownEvents'], plant: recordUnknownEvent }],
  },
  {
    name: 'a row of the registry is not what its hash says',
    is_long: true,
    outlasts: true,
    stages: [{ raises: ['SvcRegistryTampered'], plant: forgeRegistryRow }],
  },
  {
    name: 'Kafka is away',
    is_long: true,
    outlasts: true,
    panels: ['Records not yet in Kafka'],
    stages: [{ raises: ['SvcFanOutBehind'], plant: leaveKafkaBehind }],
  },
  {
    name: 'a witnessed log is cut',
    is_long: true,
    outlasts: true,
    stages: [{ raises: ['SvcWitnessAlarm'], plant: cutWitnessedLog }],
  },
]

import type { OutputOf } from '@svc/sdk'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { When } from '../../parts/figure.tsx'
import { measureText } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { partName } from '../../parts/shorten.ts'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const text = words.devices

type Device = OutputOf<'MOTE', 'list'>['items'][number]

export function Devices() {
  const why_not = useWhyNot('MOTE', 'list')
  return why_not ? <NoRight protocol="MOTE" operation="list" /> : <DeviceList />
}

function DeviceList() {
  const pages = usePages<string>()
  const query = useQuery(`devices ${pages.cursor}`, (client, signal) =>
    client.mote.list({ limit: 25, ...(pages.cursor ? { cursor: pages.cursor } : {}) }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {({ broker, items, next_cursor }) => (
        <>
          <p>
            {text.broker} <StateBadge state={broker} />
          </p>
          <DataTable
            caption={text.devices}
            rows={items}
            keyOf={({ device_did }) => device_did}
            empty={
              <Empty words={words.empty.devices} href={hashOf('playground', ['MARS', 'register_agent'])} />
            }
            columns={[
              { head: text.device, cell: ({ name, device_did }) => name ?? <Id text={device_did} /> },
              { head: text.state, cell: ({ state }) => <StateBadge state={state} /> },
              { head: text.last_seen, cell: ({ last_seen_at }) => <When at={last_seen_at} /> },
              { head: text.sensors, cell: SensorsOf },
              { head: text.actuators, cell: ActuatorsOf },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

function SensorsOf({ sensors }: Device) {
  return sensors.map(({ sensor_id, unit, low, high, last }) => (
    <div key={sensor_id} title={sensor_id}>
      {partName(sensor_id)}: <strong>{last ? measureText(last.value, unit) : text.no_reading}</strong>{' '}
      <span className="quiet">({text.range(measureText(low), measureText(high, unit))})</span>
    </div>
  ))
}

function ActuatorsOf({ actuators }: Device) {
  if (actuators.length === 0) return words.none
  return actuators.map(({ actuator_id, fields, reported, is_confirmed, command }) => (
    <div key={actuator_id} title={actuator_id}>
      {partName(actuator_id)}:{' '}
      {reported
        ? Object.entries(reported).map(([name, value]) => (
            <span key={name}>
              {name} <strong>{valueText(value, fields[name])}</strong>{' '}
            </span>
          ))
        : text.unknown}{' '}
      {!is_confirmed && <span className="quiet">{text.not_confirmed}</span>} {command?.phase}
    </div>
  ))
}

function valueText(
  value: string | number | boolean,
  field: Device['actuators'][number]['fields'][string] | undefined,
): string {
  if (typeof value === 'number') return measureText(value, field && 'unit' in field ? field.unit : '')
  return typeof value === 'boolean' ? (value ? text.on : text.off) : value
}

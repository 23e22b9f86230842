import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

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
            Broker <StateBadge state={broker} />
          </p>
          <DataTable
            caption="Devices"
            rows={items}
            keyOf={({ device_did }) => device_did}
            empty="No device is registered yet. Devices connect through an MQTT broker, which the operator sets."
            columns={[
              { head: 'Device', cell: ({ name, device_did }) => name ?? <Id text={device_did} /> },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Last seen', cell: ({ last_seen_at }) => <When at={last_seen_at} /> },
              {
                head: 'Sensors',
                cell: ({ sensors }) =>
                  sensors.map(({ sensor_id, unit, low, high, last }) => (
                    <div key={sensor_id}>
                      {sensor_id}: {last ? `${last.value} ${unit}` : 'nothing yet'}{' '}
                      <span className="quiet">
                        ({low} to {high} {unit})
                      </span>
                    </div>
                  )),
              },
              {
                head: 'Actuators',
                cell: ({ actuators }) =>
                  actuators.map(({ actuator_id, reported, is_confirmed, command }) => (
                    <div key={actuator_id}>
                      {actuator_id}: <code>{reported ? JSON.stringify(reported) : 'unknown'}</code>{' '}
                      {!is_confirmed && <span className="quiet">not confirmed</span>} {command?.phase}
                    </div>
                  )),
              },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

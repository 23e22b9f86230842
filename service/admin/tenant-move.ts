import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { readArchiveSettings } from '../settings/archive-settings.ts'
import { ConfigError } from '../settings/config-error.ts'
import { openConnections, placeOf, readUrl } from '../tenant-move/connections.ts'
import { backOut, cleanSource } from '../tenant-move/finish-move.ts'
import { moveTenants } from '../tenant-move/move-tenants.ts'
import type { Moved, MoveOrder } from '../tenant-move/order.ts'
import type { Asked, Command } from './command.ts'
import type { Said } from './say.ts'
import { openDatabase, readMasterKey } from './target.ts'

const confirm_ms_max = 60_000

export const moving: Command = {
  usage: 'tenant move <id> --to DATABASE [--with ID] [--back-out | --clean]',
  summary:
    'moves an organization to another database of this installation: --to is its address, or a file with it. Calls are refused for the seconds of the switch; killed at any point, the same command goes on',
  takes: ['to', 'with', 'back-out', 'clean'],
  async runAlone(request) {
    const { target, values, names } = request
    const target_url = readUrl(values.to)
    if (values['back-out'] && values.clean) throw new ConfigError('Choose one of --back-out and --clean.')
    const database = await openDatabase(target)
    try {
      const connections = await openConnections(database.url, target_url)
      try {
        const tenant_ids = [...new Set([names[0]!, ...(values.with ?? [])])].sort()
        const places = { source_place: placeOf(database.url), target_place: placeOf(target_url) }
        return await carryOut(request, { ...orderOf(request), ...places, connections, tenant_ids })
      } finally {
        await connections.close()
      }
    } finally {
      await database.release()
    }
  },
}

function orderOf({ target, operator, terminal }: Asked) {
  const archive = readArchiveSettings(target.read)
  return {
    master_key: readMasterKey(target),
    archive: archive && openPageStore(archive.place, operator.clock),
    operator,
    confirm_ms_max,
    progress: (text: string) => terminal.progress?.(text),
  }
}

async function carryOut({ values }: Asked, order: MoveOrder): Promise<Said> {
  const { tenant_ids, source_place: from, target_place: to } = order
  const named = { tenants: tenant_ids.join(' '), from, to }
  if (values['back-out']) {
    const move_id = await backOut(order)
    return { rows: [{ ...named, move_id, taken_back: true }], note: 'It is served here as before.' }
  }
  if (values.clean) {
    await cleanSource(order.connections.source, tenant_ids)
    return { rows: [{ ...named, cleaned: true }], note: 'Its log is in the other database only.' }
  }
  const moved = await moveTenants(order)
  return {
    rows: [{ ...named, ...factsOf(moved) }],
    note: 'Its log stays here without private keys; remove it with --clean.',
  }
}

function factsOf({ move_id, rows, records, readonly_ms }: Moved): object {
  return { move_id, rows, records, readonly_seconds: readonly_ms === undefined ? null : readonly_ms / 1_000 }
}

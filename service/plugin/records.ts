// svc-engine plugin list, inspect, enable, disable: the plugins that the engines on a database have seen, and their switches.
import { enablePlugin, listPlugins, type StoredPlugin } from '@svc/adapters/plugins/plugin-store'
import type { Database } from '@svc/contract/database'
import { type Command, requireTenant, type Work } from '../admin/command.ts'
import { recordChange } from '../admin/record.ts'
import type { Said } from '../admin/say.ts'
import { operatorTenant } from '../admin/target.ts'
import { ConfigError } from '../settings/config-error.ts'

const columns = ['name', 'version', 'protocol', 'state', 'since', 'why']

export const listing: Command = {
  usage: 'list',
  summary: 'every plugin the engines have seen, with its state and the reason',
  takes: [],
  async run({ store }) {
    const rows = await listPlugins(store.engine)
    return { rows: rows.map((row) => ({ ...row, since: row.since.slice(0, 19) })), columns }
  },
}

export const inspecting: Command = {
  usage: 'inspect <name[@version]>',
  summary: 'all about one plugin: publisher, digest, operations, capabilities',
  takes: [],
  run: async ({ store, names }) => ({ rows: await chosen(store.engine, names[0]!) }),
}

export const enabling: Command = {
  usage: 'enable <name[@version]> [--allow-downgrade]',
  summary: 'enables a plugin; a version older than one that ran here needs --allow-downgrade',
  takes: ['allow-downgrade'],
  run: (work) => change(work, true),
}

export const disabling: Command = {
  usage: 'disable <name[@version]>',
  summary: 'disables a plugin on every engine, across restarts, until it is enabled',
  takes: [],
  run: (work) => change(work, false),
}

function readName(typed: string): { name: string; version: string | undefined } {
  const [name = '', version, ...rest] = typed.split('@')
  if (name === '' || version === '' || rest.length > 0)
    throw new ConfigError(`${typed} is not a plugin name; write greeting, or greeting@1.2.0 for one version.`)
  return { name, version }
}

async function chosen(db: Database, typed: string): Promise<StoredPlugin[]> {
  const { name, version } = readName(typed)
  const plugins = (await listPlugins(db, name)).filter(
    (row) => version === undefined || row.version.replace(/^v/, '') === version.replace(/^v/, ''),
  )
  if (plugins.length > 0) return plugins
  throw new ConfigError(`No engine has seen ${typed}; svc-engine plugin list shows what was seen.`)
}

async function change(work: Work, enabled: boolean): Promise<Said> {
  const { store, target, operator, values, names } = work
  const [typed, tenant_id] = [names[0]!, operatorTenant(target)]
  const allow_downgrade = values['allow-downgrade'] ?? false
  if (allow_downgrade && readName(typed).version === undefined)
    throw new ConfigError(`--allow-downgrade is for one version: write ${typed}@ and the version after it.`)
  await requireTenant(store.engine, tenant_id)
  const rows = await store.engine.transaction(async (trx) => {
    await chosen(trx, typed)
    await enablePlugin(trx, { ...readName(typed), enabled, allow_downgrade })
    const command = `plugin ${enabled ? 'enable' : 'disable'}`
    await recordChange(trx, operator, { tenant_id, command, meta: { plugin: typed, allow_downgrade } })
    return chosen(trx, typed)
  })
  const shown = rows.map(({ name, version, enabled }) => ({ name, version, enabled }))
  return { rows: shown, note: 'All engines apply this within seconds: svc-engine plugin list' }
}

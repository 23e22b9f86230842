// The source of each setting, for diagnosis.
import { type ConfigFile, readConfigFile, type Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from './command.ts'
import { configPathOf } from './login/config-file.ts'
import { describeKey } from './login/own-keys.ts'
import { filled, profileOf } from './profile.ts'
import { hostOf, textFlag } from './settings.ts'

export interface Sourced {
  readonly value: string
  /** `--api-url`, `SVC_API_URL`, the path of the file, or what it is derived from. */
  readonly source: string
}

export type SettingSources = Readonly<Record<keyof Settings, Sourced | undefined>>

const names = {
  api_url: ['api-url', 'SVC_API_URL'],
  agent_did: ['agent-did', 'SVC_AGENT_DID'],
  tenant_id: ['tenant-id', 'SVC_TENANT_ID'],
} as const

const no_credential = { api_key: undefined, private_key: undefined, workload_token: undefined }

/** In the SDK's order: flag, environment, file. A test compares the two. */
export function findSources(flags: Flags, terminal: Terminal): SettingSources {
  const path = configPathOf(terminal, profileOf(flags, terminal))
  let file: ConfigFile | undefined
  const fromFile = (name: keyof ConfigFile): Sourced | undefined => {
    file ??= readConfigFile(profileOf(flags, terminal), hostOf(terminal))
    return sourced(file[name], path)
  }
  const fromFlags = (name: keyof typeof names) => {
    const [flag, variable] = names[name]
    return sourced(textFlag(flags, flag), `--${flag}`) ?? sourced(terminal.env[variable], variable)
  }
  const named = fromFlags('agent_did')
  const agent_did = named ?? fromFile('agent_did')
  // The file's tenant belongs to the file's agent.
  const tenantOfFile = () => (named === undefined ? fromFile('tenant_id') : undefined)
  // The nearest place that names a credential decides. A private key has no flag: other users could read it.
  const by_flag = { api_key: sourced(textFlag(flags, 'api-key'), '--api-key') }
  const by_variable = {
    api_key: sourced(terminal.env.SVC_API_KEY, 'SVC_API_KEY'),
    private_key: sourced(terminal.env.SVC_PRIVATE_KEY, 'SVC_PRIVATE_KEY'),
    workload_token: sourced(terminal.env.SVC_WORKLOAD_TOKEN_FILE, 'SVC_WORKLOAD_TOKEN_FILE'),
  }
  const byFile = () => ({
    api_key: fromFile('api_key') ?? fromFile('access_token'),
    private_key: fromFile('private_key'),
  })
  const isSet = (place: object) => Object.values(place).some(Boolean)
  const credential = isSet(by_flag) ? by_flag : isSet(by_variable) ? by_variable : byFile()
  return {
    api_url: fromFlags('api_url') ?? fromFile('api_url'),
    ...no_credential,
    ...credential,
    agent_did,
    tenant_id:
      fromFlags('tenant_id') ??
      tenantOfFile() ??
      sourced(agent_did?.value.split(':')[2], 'the tenant of the DID'),
  }
}

/** As text for people and programs, without secrets; one of the two credentials is not set. */
export function shownSettings(sources: SettingSources): { name: string; shown: string; source: string }[] {
  return Object.entries(sources).flatMap(([name, sourced]) => {
    if (!sourced) return []
    const { value, source } = sourced
    const shown = name === 'api_key' ? describeKey(value) : name === 'private_key' ? 'set' : value
    return [{ name, shown, source }]
  })
}

function sourced(value: string | undefined, source: string): Sourced | undefined {
  const text = filled(value)
  return text === undefined ? undefined : { value: text, source }
}

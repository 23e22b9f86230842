// A misspelt SVC_REQUIRE_GATEWAY would leave an engine open: every SVC_ name in the environment must be one that something reads.
import { closest } from '@svc/contract/closest'
import { ConfigError } from './config-error.ts'
import type { Environment } from './reader.ts'
import { settings } from './table.ts'

/** Shells and hosts that start an engine have these for svc, and for the compose file. */
const of_others = [
  'SVC_API_KEY',
  'SVC_PRIVATE_KEY',
  'SVC_WORKLOAD_TOKEN_FILE',
  'SVC_PROFILE',
  'SVC_AUTH_URL',
  'SVC_MCP_TOKEN',
  'SVC_DEBUG',
  'SVC_GATEWAY_DID',
  'SVC_IMAGE',
  'SVC_IMAGE_BASE',
  'SVC_RELEASE_KEY_FILE',
]
const names = [...Object.keys(settings), ...of_others]
const setting_names = new Set(names)
const of_tests = /^SVC_TEST_/
/** Kubernetes names the services beside a pod like this, and one of them may be called svc. */
const service_link = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$/
const link_value = /^(tcp|udp|sctp):\/\/|^[\d.:a-f]+$|^(tcp|udp|sctp)$/

export function requireKnownNames(env: Environment): void {
  const unknown = Object.keys(env).filter((name) => name.startsWith('SVC_') && !isKnown(name, env[name]!))
  if (unknown.length === 0) return
  const hints = unknown.map((name) => {
    const near = closest(name, names)
    return near ? `${name} (did you mean ${near}?)` : name
  })
  throw new ConfigError(
    `No setting is called ${hints.join(', ')}; correct or unset ${unknown.length > 1 ? 'them' : 'it'} and start again. docs/settings.md lists all.`,
  )
}

function isKnown(name: string, value: string): boolean {
  if (setting_names.has(name) || setting_names.has(name.replace(/_FILE$/, '')) || of_tests.test(name))
    return true
  return service_link.test(name) && link_value.test(value)
}

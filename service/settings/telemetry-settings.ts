// Where measurements go beside the tables. Unset, nothing leaves.
import { ConfigError } from './config-error.ts'

export interface TelemetrySettings {
  /** Base address of an OpenTelemetry collector. */
  readonly otel_url: string | undefined
}

export function readTelemetrySettings(read: (name: string) => string | undefined): TelemetrySettings {
  const otel_url = read('SVC_OTEL_ENDPOINT')
  if (!otel_url) return { otel_url: undefined }
  const url = URL.parse(otel_url)
  // Not repeated: it may hold a password.
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError('SVC_OTEL_ENDPOINT must be an address such as https://collector.example:4318.')
  return { otel_url }
}

// SPDX identifiers of licenses and exceptions. Deprecated ones still name a license.
import deprecated_exceptions from 'spdx-exceptions/deprecated.json' with { type: 'json' }
import exceptions from 'spdx-exceptions/index.json' with { type: 'json' }
import deprecated_licenses from 'spdx-license-ids/deprecated.json' with { type: 'json' }
import licenses from 'spdx-license-ids/index.json' with { type: 'json' }

export const license_ids = byLowerCase([...licenses, ...deprecated_licenses])
export const exception_ids = byLowerCase([...exceptions, ...deprecated_exceptions])

/** Compared case-insensitively, written in the official case. */
function byLowerCase(ids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(ids.map((id) => [id.toLowerCase(), id]))
}

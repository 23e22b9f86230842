/** A missing or invalid setting: one sentence that says what to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

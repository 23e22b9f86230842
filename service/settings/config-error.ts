/** A setting that is missing or makes no sense: one sentence that says what to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

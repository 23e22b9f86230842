// Which plugins an engine loads, from where, and from which publishers. Tools have the same publishers.
import type { Reader } from './reader.ts'

export function readPluginSettings(read: Reader) {
  return {
    /** Optional parts of the engine: built-in protocols and plugins. */
    features: read('SVC_FEATURES'),
    plugins: {
      /** Undefined if not set. */
      directory: read('SVC_PLUGIN_DIR'),
      auto_discover: read('SVC_PLUGIN_AUTO_DISCOVER'),
      allowed_sources: [...read('SVC_PLUGIN_SOURCES')],
      watch_interval_ms: read('SVC_PLUGIN_WATCH_INTERVAL_MS'),
      require_signatures: read('SVC_PLUGIN_REQUIRE_SIGNATURES'),
      processes_max: read('SVC_PLUGIN_PROCESSES'),
      /** What plugins are built against; only reported. */
      abi_level: read('SVC_WASMTIME_VERSION'),
    },
  }
}
